"""The paper kit: the tables and figures of the paper, for runs of one's own."""

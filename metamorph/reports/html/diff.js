// Before and after side by side, from the text before and the edits: no guessing what changed.

const MOST_COMPARED = 250;

/** The runs [kind, text] of an edited text; kind: same, out or in. */
function runsOf(text, edits) {
  const runs = [];
  let at = 0;
  for (const [start, end, fresh] of edits) {
    runs.push(["same", text.slice(at, start)]);
    runs.push(...compared(text.slice(start, end), fresh));
    at = end;
  }
  runs.push(["same", text.slice(at)]);
  return runs.filter(([, part]) => part);
}

const wordsOf = (text) => text.match(/[\p{L}\p{N}_$]+|\s+|[^]/gu) || [];

/** What an edit replaces and by what, word by word. */
function compared(old, fresh) {
  const before = wordsOf(old);
  const after = wordsOf(fresh);
  if (!old || !fresh || before.length > MOST_COMPARED || after.length > MOST_COMPARED) {
    return [["out", old], ["in", fresh]];
  }
  const lengths = commonLengths(before, after);
  // Where next to nothing is common, single signs that are say nothing.
  if (3 * lengths[0][0] < Math.min(before.length, after.length)) return [["out", old], ["in", fresh]];
  const runs = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      add(runs, "same", before[i]);
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      add(runs, "out", before[i++]);
    } else {
      add(runs, "in", after[j++]);
    }
  }
  return tidy(runs);
}

/** Signs and blanks alone between two changes are counted to the changes. */
function tidy(runs) {
  const result = [];
  let [out, fresh] = ["", ""];
  const flush = () => {
    if (out) result.push(["out", out]);
    if (fresh) result.push(["in", fresh]);
    [out, fresh] = ["", ""];
  };
  runs.forEach(([kind, text], n) => {
    const within = n && n < runs.length - 1;
    if (kind === "same" && !(within && !/[\p{L}\p{N}_$]/u.test(text))) {
      flush();
      result.push(["same", text]);
      return;
    }
    if (kind !== "in") out += text;
    if (kind !== "out") fresh += text;
  });
  flush();
  return result;
}

function add(runs, kind, text) {
  const last = runs[runs.length - 1];
  if (last && last[0] === kind) last[1] += text;
  else runs.push([kind, text]);
}

/** Lengths of the longest common subsequences of all pairs of tails. */
function commonLengths(before, after) {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i][j] =
        before[i] === after[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

/** Pairs of lines, each a list of runs, or null beside a line that the other side lacks. */
function linePairs(runs) {
  const pairs = [];
  let left = [[]];
  let right = [[]];
  const flush = () => {
    pairs.push(...aligned(left, right));
    left = [[]];
    right = [[]];
  };
  for (const [kind, text] of runs) {
    text.split("\n").forEach((part, n) => {
      if (n && kind === "same") flush();
      else if (n && kind === "out") left.push([]);
      else if (n) right.push([]);
      if (part && kind !== "in") left[left.length - 1].push([kind, part]);
      if (part && kind !== "out") right[right.length - 1].push([kind, part]);
    });
  }
  flush();
  return pairs;
}

/** Fills the shorter side up, at the end that has less in common with the other side. */
function aligned(left, right) {
  const missing = Math.abs(left.length - right.length);
  if (missing) {
    const [longer, shorter] = left.length > right.length ? [left, right] : [right, left];
    const gaps = new Array(missing).fill(null);
    if (inCommon(longer[0]) >= inCommon(longer[longer.length - 1])) shorter.push(...gaps);
    else shorter.unshift(...gaps);
  }
  return left.map((line, n) => [line, right[n]]);
}

const inCommon = (line) =>
  line.reduce((sum, [kind, text]) => sum + (kind === "same" ? text.trim().length : 0), 0);

const isChanged = ([left, right]) =>
  !left || !right || left.some(([kind]) => kind !== "same") || right.some(([kind]) => kind !== "same");

/** The table of two columns; lines far from every edit are folded behind a button. */
function diffTable(program, edits, declared, marked) {
  const pairs = linePairs(runsOf(program.text, edits));
  const indent = commonIndent(program.text);
  const near = nearChanges(pairs, program.line, declared, marked);
  const table = make("table", { className: "diff" });
  table.append(make("colgroup", {}, ...["n", "", "n", ""].map((name) => make("col", { className: name }))));
  table.append(
    make("thead", {}, make("tr", {},
      make("th", { scope: "colgroup", colSpan: 2 }, "before"),
      make("th", { scope: "colgroup", colSpan: 2 }, "after"))));
  let [left, right] = [program.line, program.line];
  let body = null;
  pairs.forEach((pair, n) => {
    const folded = !near[n];
    if (!body || body.folded !== folded) {
      if (folded) table.append(foldOf(near, n));
      body = make("tbody", { hidden: folded });
      body.folded = folded;
      table.append(body);
    }
    body.append(rowOf(pair, left, right, indent, left === marked && !edits.length));
    left += pair[0] ? 1 : 0;
    right += pair[1] ? 1 : 0;
  });
  return table;
}

/** Which pairs are shown at once: those near a change, and a short method as a whole. */
function nearChanges(pairs, first, declared, marked) {
  const near = new Array(pairs.length).fill(false);
  const head = Math.max(0, declared - first);
  if (pairs.length - head <= 30) near.fill(true, head);
  else near[head] = true;
  let line = first;
  pairs.forEach((pair, n) => {
    if (isChanged(pair) || line === marked) near.fill(true, Math.max(0, n - 3), n + 4);
    line += pair[0] ? 1 : 0;
  });
  return near;
}

/** The button in place of the lines from n on that are not near. */
function foldOf(near, n) {
  const end = near.indexOf(true, n);
  const count = (end < 0 ? near.length : end) - n;
  const button = make("button", { type: "button" }, count + (count === 1 ? " line" : " lines") + " alike");
  const fold = make("tbody", { className: "fold" }, make("tr", {}, make("td", { colSpan: 4 }, button)));
  button.addEventListener("click", () => {
    fold.nextElementSibling.hidden = false;
    fold.remove();
  });
  return fold;
}

function rowOf([left, right], leftLine, rightLine, indent, marked) {
  const row = make("tr", { className: marked ? "marked" : "" });
  row.append(
    make("td", { className: "line-number" }, left ? String(leftLine) : ""),
    codeOf(left, indent, "out"),
    make("td", { className: "line-number" }, right ? String(rightLine) : ""),
    codeOf(right, indent, "in"));
  return row;
}

function codeOf(line, indent, kind) {
  if (!line) return make("td", { className: "code none" });
  const edited = line.some(([of]) => of !== "same");
  const cell = make("td", { className: "code" + (edited ? " " + kind : "") });
  let cut = indent;
  line.forEach(([of, text], n) => {
    const blank = Math.min(cut, text.length - text.trimStart().length);
    let part = text.slice(blank);
    cut = blank === text.length ? cut - blank : 0;
    if (n === line.length - 1 && part.endsWith("\r")) part = part.slice(0, -1);
    if (of === "same") show(cell, part);
    else cell.append(make(of === "out" ? "del" : "ins", {}, part));
  });
  return cell;
}

/** How many blanks all lines but empty ones begin with. */
function commonIndent(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return Math.min(...lines.map((line) => line.length - line.trimStart().length), 40);
}

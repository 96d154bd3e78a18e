// One outcome opened: its answers before and after, its code side by side, how to repeat it.

let openedItem = -1;

async function open(item) {
  openedItem = item;
  const dialog = byId("opened");
  const sheet = dialog.firstElementChild;
  sheet.replaceChildren(titleOf(item), answersOf(item, null));
  if (!dialog.open) dialog.showModal();
  history.replaceState(null, "", isRefusal(item) ? "#outcomes" : "#o=" + idOf(item));
  let detail = null;
  let fault = "its code is not kept in this file";
  try {
    detail = await detailOf(item);
  } catch (error) {
    fault = "its code cannot be unpacked: " + error;
  }
  if (openedItem !== item) return;
  sheet.replaceChildren(
    titleOf(item), answersOf(item, detail), codeSection(item, detail, fault), repeatOf(item));
  sheet.scrollTop = 0;
}

function titleOf(item) {
  const step = (by, label, sign) => {
    const button = make("button", { type: "button", "aria-label": label }, sign);
    button.addEventListener("click", () => openNeighbour(by));
    return button;
  };
  const close = make("button", { type: "button", "aria-label": "Close" }, "✕");
  close.addEventListener("click", () => byId("opened").close());
  const result = ofItem("result", item);
  return make("header", {},
    make("div", {},
      make("h2", { id: "opened-title" }, ofProgram("title", item)),
      make("p", { className: "where" }, ofProgram("path", item) + ":" + data.items.line[item]),
      make("p", {},
        badge(result), " ", data.kinds[result] || result, ". ",
        make("b", {}, [ofItem("transform", item), ofItem("place", item)].filter(Boolean).join(" ")),
        reasonOf(item), isRefusal(item) ? "" : "  id " + idOf(item))),
    make("div", { className: "steps" },
      step(-1, "Previous outcome", "↑"), step(1, "Next outcome", "↓"), close));
}

const reasonOf = (item) => (ofItem("reason", item) ? ": " + ofItem("reason", item) : "");

function answersOf(item, detail) {
  if (isRefusal(item)) return make("p", {}, "This place was left alone, so no model was asked about it.");
  const right = ofProgram("expected", item);
  const before = ofProgram("label", item);
  const after = ofItem("label", item);
  const section = make("section", { className: "answers", "aria-label": "Answers" });
  section.append(
    answerList("before", before, number("score", item), detail && detail.program.candidates, right, null),
    answerList("after", after, data.items.score[item], detail && detail.item.candidates, right, before));
  if (right !== null) {
    section.append(make("p", { className: "right-answer" }, "Right answer: ", answer(right)));
  }
  if (detail && detail.item.said) {
    section.append(make("p", { className: "right-answer" }, "It said: ", answer(detail.item.said)));
  }
  if (detail && detail.item.truncated) {
    section.append(make("p", { className: "right-answer" }, "The model did not see all of the variant."));
  }
  const renamed = Object.entries((detail && detail.item.names) || {});
  if (renamed.length) {
    section.append(make("p", { className: "right-answer" }, "Renamed: ",
      renamed.map(([old, fresh]) => old + " → " + fresh).join(", ")));
  }
  return section;
}

/** The ranked answers of one side; `earlier` is marked where the other answer went. */
function answerList(title, label, score, candidates, right, earlier) {
  const ranked = candidates && candidates.length ? candidates : label === null ? [] : [[label, score]];
  const list = make("ol", {});
  ranked.forEach(([name, value], n) => {
    const entry = make("li", { className: name === right ? "right" : "" },
      answer(name),
      name === right ? make("span", { title: "the right answer" }, " ✓") : null,
      name === earlier && n ? make("span", { className: "moved" }, " the answer before") : null,
      value === null ? null : make("span", { className: "score" }, scoreText(value)));
    list.append(entry);
  });
  if (earlier !== null && ranked.length > 1 && !ranked.some(([name]) => name === earlier)) {
    list.append(make("li", { className: "gone" }, "the answer before is not among these"));
  }
  return make("div", {}, make("h3", {}, title),
    ranked.length ? list : make("p", {}, label === null ? "no answer" : "(empty)"));
}

const answer = (text) => show(make("code", { className: "answer" }), text || "(empty)", "\t\n");

const scoreText = (value) => (Math.abs(value) < 1e-4 && value ? value.toExponential(1) : String(+value.toPrecision(3)));

function codeSection(item, detail, fault) {
  const section = make("section", { "aria-label": "Code before and after", className: "code-section" });
  if (!detail) section.append(make("p", { className: "fault" }, "No code: " + fault + "."));
  else if (detail.program.fault) section.append(make("p", { className: "fault" }, "No code: " + detail.program.fault + "."));
  else section.append(diffTable(detail.program, detail.item.edits, number("line", item), data.items.line[item]));
  return section;
}

function repeatOf(item) {
  const section = make("section", { className: "repeat", "aria-label": "How to repeat it" });
  section.append(make("h3", {}, "Repeat it"), commandLine(commandOf(item)));
  if (data.changing.includes(ofItem("result", item)) && ofItem("place", item) === "all") {
    section.append(make("p", {}, "The fewest of its edits that still change the answer:"),
      commandLine(shrinkOf(item)));
  }
  return section;
}

function commandLine(command) {
  const copy = make("button", { type: "button" }, "copy");
  const code = make("code", { tabIndex: 0 }, command);
  copy.addEventListener("click", async () => {
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      document.execCommand("copy");
    }
    copy.textContent = "copied";
  });
  return make("p", { className: "command" }, code, copy);
}

function openNeighbour(by) {
  move(by);
  if (selected >= 0) open(found[selected]);
}

// The list of outcomes: filtered, sorted, and only as much of it drawn as is seen.

let found = [];
let selected = -1;
let sorting = { by: "kind", down: false };
const narrow = matchMedia("(max-width: 760px)");
const rowHeight = () => (narrow.matches ? 84 : 46);

const lastIfNone = (number) => (number < 0 ? Infinity : number);

const COLUMNS = [
  ["kind", "result", (item) => item],
  ["transform", "change", (item) => data.items.transform[item] * 1e6 + data.items.place[item]],
  ["method", "method", (item) => number("title", item)],
  ["before", "before", (item) => lastIfNone(number("label", item))],
  ["after", "after", (item) => lastIfNone(data.items.label[item])],
  ["score", "score", (item) => (data.items.score[item] ?? -Infinity)],
  ["length", "length", (item) => number("statements", item)],
];

const FILTERS = {
  transform: (item) => ofItem("transform", item),
  place: (item) => ofItem("place", item),
  result: (item) => ofItem("result", item),
  bin: (item) => data.bins[number("bin", item)],
  project: (item) => ofProgram("project", item),
  reason: (item) => ofItem("reason", item),
};
const ANY_CHANGE = "any change";

function fillFilters() {
  for (const [name, of] of Object.entries(FILTERS)) {
    const counts = new Map();
    for (let item = 0; item < data.items.block.length; item++) {
      const value = of(item);
      if (value) counts.set(value, (counts.get(value) || 0) + 1);
    }
    const select = byId(name);
    select.append(new Option("all", ""));
    const changes = data.changing.reduce((sum, kind) => sum + (counts.get(kind) || 0), 0);
    if (name === "result" && changes) select.append(option(ANY_CHANGE, changes));
    for (const value of inOrder(name, [...counts.keys()])) select.append(option(value, counts.get(value), name));
    select.parentElement.hidden = counts.size < (name === "reason" ? 1 : 2);
  }
  for (const [key, title] of COLUMNS) byId("sort").append(new Option(title, key));
}

function option(value, count, name) {
  const words = name === "result" && data.kinds[value] ? ", " + data.kinds[value] : "";
  return new Option(visible(value) + words + " (" + count.toLocaleString("en") + ")", value);
}

function inOrder(name, values) {
  if (name === "bin") return data.bins.filter((bin) => values.includes(bin));
  if (name === "result") {
    const known = Object.keys(data.kinds);
    return values.sort((a, b) => known.indexOf(a) - known.indexOf(b));
  }
  return values.sort();
}

/** Find what the filters let through, sort it and draw it from the top. */
function refresh() {
  const wanted = Object.entries(FILTERS)
    .map(([name, of]) => [byId(name).value, of])
    .filter(([value]) => value)
    .map(([value, of]) => value === ANY_CHANGE ? (item) => data.changing.includes(of(item)) : (item) => of(item) === value);
  const text = textFilter(byId("text").value);
  if (text) wanted.push(text);
  found = [];
  for (let item = 0; item < data.items.block.length; item++) {
    if (wanted.every((passes) => passes(item))) found.push(item);
  }
  sort();
  selected = found.length ? 0 : -1;
  byId("list").scrollTop = 0;
  const all = data.items.block.length.toLocaleString("en");
  byId("found").textContent = wanted.length ? found.length.toLocaleString("en") + " of " + all + " listed" : all + " listed";
  draw(true);
}

/** Whether method, path or an answer holds the text, whatever its case; each text is searched once. */
function textFilter(text) {
  const needle = text.trim().toLowerCase();
  if (!needle) return null;
  const hits = data.strings.map((one) => one.toLowerCase().includes(needle));
  const hit = (number) => number >= 0 && hits[number];
  return (item) =>
    hit(number("title", item)) || hit(number("path", item)) || hit(number("label", item)) ||
    hit(number("expected", item)) || hit(data.items.label[item]) || hit(data.items.reason[item]) ||
    (!isRefusal(item) && idOf(item) === needle);
}

function sort() {
  const key = COLUMNS.find(([name]) => name === sorting.by)[2];
  const keys = new Map(found.map((item) => [item, key(item)]));
  const sign = sorting.down ? -1 : 1;
  found.sort((a, b) => {
    const [one, other] = [keys.get(a), keys.get(b)];
    return one === other ? a - b : one < other ? -sign : sign;
  });
}

function sortBy(name) {
  sorting = { by: name, down: sorting.by === name && !sorting.down };
  byId("sort").value = name;
  drawHead();
  refresh();
}

function drawHead() {
  byId("head").replaceChildren(...COLUMNS.map(([name, title]) => {
    const here = sorting.by === name;
    const button = make("button", { type: "button", tabIndex: -1 }, title + (here ? (sorting.down ? " ↓" : " ↑") : ""));
    button.addEventListener("click", () => sortBy(name));
    const order = here ? (sorting.down ? "descending" : "ascending") : "none";
    return make("div", { role: "columnheader", "aria-sort": order, className: name }, button);
  }));
}

let drawn = "";

/** Draw the rows that are in view, unless they are there already. */
function draw(anew) {
  const list = byId("list");
  const rows = byId("rows");
  const height = rowHeight();
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 5);
  const last = Math.min(found.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 5);
  const now = [first, last, selected, height].join();
  if (!anew && now === drawn) return;
  drawn = now;
  list.setAttribute("aria-rowcount", found.length + 1);
  rows.style.height = found.length * height + "px";
  rows.replaceChildren();
  for (let at = first; at < last; at++) {
    const row = rowFor(found[at], at);
    row.style.transform = "translateY(" + at * height + "px)";
    rows.append(row);
  }
  if (selected >= 0) list.setAttribute("aria-activedescendant", "row-" + selected);
  else list.removeAttribute("aria-activedescendant");
  if (!found.length) rows.append(make("p", { className: "none-found" }, "No outcome passes these filters."));
}

function rowFor(item, at) {
  const cell = (name, ...children) => make("div", { role: "gridcell", className: name }, ...children);
  const score = data.items.score[item];
  const row = make("div", {
    role: "row", id: "row-" + at, className: "row" + (at === selected ? " selected" : ""),
    "aria-rowindex": at + 2, "aria-selected": String(at === selected),
  },
  cell("kind", badge(ofItem("result", item))),
  cell("transform", make("b", {}, ofItem("transform", item)), " ", ofItem("place", item) || ""),
  cell("method", make("b", {}, ofProgram("title", item)), make("small", {}, shortPath(item))),
  cell("before", isRefusal(item) ? "" : answerText(ofProgram("label", item))),
  cell("after", ofItem("reason", item) ? make("i", {}, ofItem("reason", item)) : answerText(ofItem("label", item))),
  cell("score", score === null ? "" : scoreText(score)),
  cell("length", String(number("statements", item)), make("small", {}, " statements")));
  row.addEventListener("click", () => {
    selected = at;
    draw();
    open(item);
  });
  return row;
}

const answerText = (label) => (label === null ? "–" : label.length > 200 ? label.slice(0, 200) + "…" : label);

const shortPath = (item) => {
  const parts = ofProgram("path", item).split("/");
  return parts.slice(-3).join("/") + ":" + data.items.line[item];
};

const badge = (result) => make("span", { className: "badge " + result, title: data.kinds[result] || "" }, result.replace("_", " "));

/** Move the selection and bring it into view. */
function move(by) {
  if (!found.length) return;
  selected = Math.min(found.length - 1, Math.max(0, selected + by));
  const list = byId("list");
  const [top, height] = [selected * rowHeight(), rowHeight()];
  const head = byId("head").offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height + head > list.scrollTop + list.clientHeight) list.scrollTop = top + height + head - list.clientHeight;
  draw();
}

// The data of the page: gzipped JSON in Base64, unpacked when it is needed.

async function unpack(id) {
  const packed = Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

let data = null;
const opened = new Map();

/** The program and the item's own part of what is shown when an item is opened, or null. */
async function detailOf(item) {
  const number = data.items.block[item];
  if (number < 0) return null;
  if (!opened.has(number)) opened.set(number, unpack("block-" + number));
  const block = await opened.get(number);
  const program = data.items.program[item];
  return {
    program: block.programs[data.programs.file[program] + ":" + data.programs.method[program]],
    item: block.items[item],
  };
}

const string = (number) => (number < 0 ? null : data.strings[number]);
const ofItem = (name, item) => string(data.items[name][item]);
const ofProgram = (name, item) => string(data.programs[name][data.items.program[item]]);
const number = (name, item) => data.programs[name][data.items.program[item]];

/** FILE:METHOD:VARIANT; a refusal has none that other commands know. */
function idOf(item) {
  return [number("file", item), number("method", item), data.items.number[item]].join(":");
}

const isRefusal = (item) => ofItem("result", item) === "refused";

/** The least that a shell takes for one word, with nothing hidden in it. */
function quoted(word) {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!HIDDEN.test(word)) return "'" + word.replaceAll("'", "'\\''") + "'";
  const safe = Array.from(word, (c) => {
    if (!HIDDEN.test(c)) return c === "'" || c === "\\" ? "\\" + c : c;
    const code = c.codePointAt(0);
    if (code >= 0xdc80 && code <= 0xdcff) return "\\x" + (code - 0xdc00).toString(16);
    return code > 0xffff
      ? "\\U" + code.toString(16).padStart(8, "0")
      : "\\u" + code.toString(16).padStart(4, "0");
  });
  return "$'" + safe.join("") + "'";
}

/** The command that makes the item's variant again and asks about it. */
function commandOf(item) {
  const own = {
    "{path}": ofProgram("source", item).replace(/^-/, "./-"),
    "{transform}": ofItem("transform", item),
    "{place}": ofItem("place", item) || "single",
  };
  return data.command.map((word) => quoted(own[word] ?? word)).join(" ");
}

const shrinkOf = (item) => ["metamorph", "shrink", data.run, idOf(item)].map(quoted).join(" ");

// Texts of the corpus and of models, put into the page as text alone, with nothing hidden in them.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u;

function spelt(character) {
  const code = character.codePointAt(0);
  if (code >= 0xdc80 && code <= 0xdcff) return "\\x" + (code - 0xdc00).toString(16);
  if (code > 0xffff) return "\\u{" + code.toString(16) + "}";
  return "\\u" + code.toString(16).padStart(4, "0");
}

/** Append a text; what hides in it is spelt out in boxes. What is kept, such as tabs, stays. */
function show(parent, text, kept = "\t") {
  if (!HIDDEN.test(text)) {
    parent.append(text);
    return parent;
  }
  let plain = "";
  for (const character of text) {
    if (kept.includes(character) || !HIDDEN.test(character)) {
      plain += character;
      continue;
    }
    parent.append(plain, make("span", { className: "hidden-character" }, spelt(character)));
    plain = "";
  }
  parent.append(plain);
  return parent;
}

function visible(text) {
  return HIDDEN.test(text)
    ? Array.from(text, (c) => (c !== "\t" && HIDDEN.test(c) ? spelt(c) : c)).join("")
    : text;
}

/** An element with properties, attributes (those with a hyphen, and role) and children. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "scope") element.setAttribute(name, value);
    else element[name] = value;
  }
  for (const child of children) {
    if (typeof child === "string") show(element, child);
    else if (child) element.append(child);
  }
  return element;
}

const byId = (id) => document.getElementById(id);

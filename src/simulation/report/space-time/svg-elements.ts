/**
 * @module
 * SVG as text: elements with their attributes in the given order. Text is escaped, so that the content of a
 * message cannot end the document or begin a script.
 */

export type Attributes = Readonly<Record<string, string | number>>;

/** An element on a line. Its children are markup: text among them must be escaped. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const open = opening(name, attributes);
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

function opening(name: string, attributes: Attributes): string {
  let text = `<${name}`;
  for (const key in attributes) text += ` ${key}="${escapeXml(attributes[key] ?? '')}"`;
  return text;
}

/** An element whose children have a line each. */
export function group(name: string, attributes: Attributes, children: readonly string[]): string {
  return element(name, attributes, '\n', ...children.map((child) => `${child}\n`));
}

/** The lines of `group` without line breaks, so that a large group is drawn while it is taken. */
export function* groupLines(
  name: string,
  attributes: Attributes,
  ...children: readonly Iterable<string>[]
): Generator<string, void, undefined> {
  yield `${opening(name, attributes)}>`;
  for (const lines of children) yield* lines;
  yield `</${name}>`;
}

/** Draws each item when its line is taken. */
export function* linesOf<Item>(
  items: Iterable<Item>,
  draw: (item: Item) => string,
): Generator<string, void, undefined> {
  for (const item of items) yield draw(item);
}

/** The title of an element, which screen readers and pointers show. */
export function title(text: string): string {
  return element('title', {}, escapeXml(text));
}

/** Text of XML 1.0: five characters are escaped, invalid ones replaced. */
export function escapeXml(value: string | number): string {
  const text = String(value);
  // Nearly every text. This halves the time of a large diagram.
  if (PLAIN.test(text)) return text;
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&apos;')
  );
}

/** Letters, digits, spaces and signs that need no escape. */
const PLAIN = /^[\w :;,.()#/+*=~-]*$/;

/**
 * @module
 * SVG as text: elements with their attributes in the given order. Text is escaped, so that the content of a
 * message cannot end the document or begin a script.
 */

export type Attributes = Readonly<Record<string, string | number>>;

/** An element on a line. Its children are markup: text among them must be escaped. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const open = `<${name}${written.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

/** An element whose children have a line each. */
export function group(name: string, attributes: Attributes, children: readonly string[]): string {
  return element(name, attributes, '\n', ...children.map((child) => `${child}\n`));
}

/** The title of an element, which screen readers and pointers show. */
export function title(text: string): string {
  return element('title', {}, escapeXml(text));
}

/** Text of XML 1.0: five characters are escaped, invalid ones replaced. */
export function escapeXml(text: string | number): string {
  return (
    String(text)
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

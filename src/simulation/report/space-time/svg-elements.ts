/**
 * @module
 * SVG as text: elements, their attributes in the order given, and the escaping without which a
 * message's own words could end a document or begin a script.
 */

export type Attributes = Readonly<Record<string, string | number>>;

/** An element on a line. Its children are markup: words among them must have been escaped. */
export function element(name: string, attributes: Attributes, ...children: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`);
  const open = `<${name}${written.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

/** An element whose children have a line each. */
export function group(name: string, attributes: Attributes, children: readonly string[]): string {
  return element(name, attributes, '\n', ...children.map((child) => `${child}\n`));
}

/** What a reader of the document hears of an element, and a pointer over it shows. */
export function title(words: string): string {
  return element('title', {}, escapeXml(words));
}

/** Text content of XML 1.0: its five characters escaped, those that it does not have replaced. */
export function escapeXml(text: string | number): string {
  return (
    String(text)
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be replaced.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&apos;')
  );
}

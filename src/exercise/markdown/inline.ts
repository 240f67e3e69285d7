/**
 * @module
 * The marks within a line of Markdown: code, strong words, emphasis and links. HTML is shown as text, and
 * so is a link whose address is not http or https. An image becomes a link, so that nothing is loaded.
 */

export type Inline =
  | { readonly type: 'text' | 'code' | 'emphasis'; readonly text: string }
  | { readonly type: 'strong'; readonly content: readonly Inline[] }
  | { readonly type: 'link'; readonly text: string; readonly address: string };

/** Each alternative ends where another one of its kind begins, so that the time is linear in the length. */
const MARKS =
  /\\([!-/:-@[-`{-~])|(?<!`)(`{1,3})(?!`)([^`]+)\2(?!`)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|!?\[([^[\]]+)\]\((https?:\/\/[^\s()[\]]+)\)/g;

/** The parts of a text without line ends. */
export function inlinesOf(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  const addText = (words: string) => {
    if (words !== '') parts.push({ type: 'text', text: words });
  };
  for (const match of text.matchAll(MARKS)) {
    const [whole, escaped, , code, strong, emphasis, words, address] = match;
    addText(text.slice(end, match.index));
    if (escaped !== undefined) addText(escaped);
    else if (code !== undefined) parts.push({ type: 'code', text: code });
    else if (strong !== undefined) parts.push({ type: 'strong', content: inlinesOf(strong) });
    else if (emphasis !== undefined) parts.push({ type: 'emphasis', text: emphasis });
    else if (words !== undefined && address !== undefined) {
      parts.push({ type: 'link', text: words, address });
    }
    end = match.index + whole.length;
  }
  addText(text.slice(end));
  return parts;
}

/**
 * @module
 * Text for people: makes what others wrote safe to show on terminals and pages, and begins sentences.
 */

/**
 * Escapes control characters (ESC becomes \u001b), those that change the writing direction, and invisible ones.
 * Names of files and of members come from others, who must not control the reader's terminal. Line ends
 * stay, for stack traces.
 */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\u200b]/gu, (character) => {
    const unit = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  });
}

/** Escapes line ends, too: text of others that is a part of one line must not make further lines. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a');
}

/** A noun after its article: `a claim`, `an input`. */
export function withArticle(noun: string): string {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** A text with a capital letter at its beginning. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

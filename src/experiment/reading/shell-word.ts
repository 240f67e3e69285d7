/**
 * @module
 * Arguments of printed commands, quoted for a shell.
 */

/** An argument for a POSIX shell, in single quotes if it contains special characters. */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_.,:=@%/+-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

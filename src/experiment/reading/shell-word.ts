/**
 * @module
 * Words of a command as a shell takes them, for commands that are printed to be copied.
 */

/** One word of a POSIX shell, in single quotes where a shell would read more into it. */
export function shellWord(word: string): string {
  if (/^[A-Za-z0-9_.,:=@%/+-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

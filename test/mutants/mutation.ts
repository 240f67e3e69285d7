/**
 * @module
 * A seeded bug as data: which text of the real source becomes which other text, and which check must
 * notice. A suite that lets one live could not have found the bug when somebody made it.
 */

export interface Mutant {
  readonly name: string;
  /** What is wrong with it, in one sentence. */
  readonly bug: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly oldText: string;
  readonly newText: string;
}

/**
 * The mutated source. Throws RangeError when the old text is not there exactly once: the source has
 * moved on, and the mutant with it, or it would be another bug than the one that is described.
 */
export function mutate(source: string, { name, file, oldText, newText }: Mutant): string {
  const found = source.split(oldText).length - 1;
  if (found !== 1) {
    const fault = found === 0 ? 'it is gone' : `it occurs ${found} times`;
    const text = JSON.stringify(oldText);
    throw new RangeError(
      `mutant ${name}: expected its old text once in ${file}, ${fault}: ${text}`,
    );
  }
  if (newText === oldText) throw new RangeError(`mutant ${name} changes nothing in ${file}`);
  return source.replace(oldText, () => newText);
}

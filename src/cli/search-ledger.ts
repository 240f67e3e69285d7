/**
 * @module
 * The ledger file of a search: written anew every few seconds and at the end, whole or not at all, so
 * that whatever ends the search leaves one to go on with. It holds the seed, so it is private.
 */

import type { MiningTask, SearchState } from '../mining/phases.ts';
import { savedSearchToJson } from '../mining/saved-search.ts';
import { writeWhole } from './files.ts';

const SAVE_SECONDS = 5;

/** A class, since it remembers when it saved and whether a save is under way. */
export class SearchLedger {
  readonly #path: string;
  readonly #task: MiningTask;
  /** Whether the file may be replaced; from the first save on it is ours. */
  #mayReplace: boolean;
  #savedAt: number;
  #saving: Promise<void> = Promise.resolve();
  #isSaving = false;

  constructor(path: string, task: MiningTask, options: { readonly mayReplace: boolean }) {
    this.#path = path;
    this.#task = task;
    this.#mayReplace = options.mayReplace;
    this.#savedAt = performance.now();
  }

  /** Saves if it is time; a save that fails is told by `close`. */
  note(state: () => SearchState): void {
    if (this.#isSaving || performance.now() - this.#savedAt < 1e3 * SAVE_SECONDS) return;
    this.#isSaving = true;
    const saving = this.#saving
      .then(() => this.#save(state()))
      .finally(() => {
        this.#isSaving = false;
        this.#savedAt = performance.now();
      });
    // Whoever waits for it hears of a failure; until then it is nobody's.
    saving.catch(() => {});
    this.#saving = saving;
  }

  /** The last save. */
  async close(state: SearchState): Promise<void> {
    await this.#saving;
    await this.#save(state);
  }

  async #save(state: SearchState): Promise<void> {
    const text = `${JSON.stringify(savedSearchToJson(this.#task, state), null, 2)}\n`;
    await writeWhole(this.#path, text, { force: this.#mayReplace, isPrivate: true });
    this.#mayReplace = true;
  }
}

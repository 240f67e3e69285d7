/**
 * @module
 * The ledger file of a search: written anew every few seconds and at the end, whole or not at all, so
 * that whatever ends the search leaves one to go on with. It holds the seed, so it is private.
 */

import { LabError } from '../../errors.ts';
import type { MiningTask, SearchState } from '../../mining/phases.ts';
import { savedSearchToJson } from '../../mining/saved-search.ts';
import { writeWhole } from '../shell/files.ts';

const SAVE_SECONDS = 5;

/** A class, since it remembers when it saved and whether a save is under way. */
export class SearchLedger {
  readonly #path: string;
  readonly #task: MiningTask;
  readonly #warn: (line: string) => void;
  /** Whether the file may be replaced; from the first save on it is ours. */
  #mayReplace: boolean;
  #savedAt = performance.now();
  #saving: Promise<void> | null = null;

  constructor(
    path: string,
    task: MiningTask,
    options: { readonly mayReplace: boolean; readonly warn: (line: string) => void },
  ) {
    this.#path = path;
    this.#task = task;
    this.#mayReplace = options.mayReplace;
    this.#warn = options.warn;
  }

  /** Saves if it is time. A save that fails is reported, and tried again later. */
  note(state: () => SearchState): void {
    if (this.#saving !== null || performance.now() - this.#savedAt < 1e3 * SAVE_SECONDS) return;
    this.#saving = this.#save(state())
      .catch((error: unknown) => {
        if (!(error instanceof LabError)) throw error;
        this.#warn(`the ledger is not up to date: ${error.message}; trying again`);
      })
      .finally(() => {
        this.#saving = null;
        this.#savedAt = performance.now();
      });
  }

  /** The last save; throws LabError `file.unwritable` if it fails. */
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

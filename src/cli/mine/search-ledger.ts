/**
 * @module
 * The file in which `usurp mine` keeps a search, and from which it resumes one.
 */

import { LabError } from '../../errors.ts';
import type { Budget } from '../../mining/ledger.ts';
import type { MiningTask, SearchState } from '../../mining/phases.ts';
import { parseSavedSearch, savedSearchToJson } from '../../mining/saved-search.ts';
import { assertPossible } from '../../operations/identity/search.ts';
import { parseJsonText } from '../../runtime/files/json-scan.ts';
import { readText, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** A task, and how far its search has come. */
export interface Search {
  readonly task: MiningTask;
  readonly begun: SearchState;
}

/** The search of a ledger file with a new budget, which counts what was spent before. */
export async function resumedSearch(
  path: string,
  budget: Budget,
  terminal: Terminal,
): Promise<Search> {
  const text = await readText(path, terminal, LEDGER_BYTES_MAX);
  try {
    const { task, state } = parseSavedSearch(parseJsonText(text));
    const resumed = { ...task, budget };
    assertPossible(resumed);
    return { task: resumed, begun: state };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${path}: ${error.message}; it was left unchanged`);
  }
}

/** Ten thousand winners and their solutions take a megabyte. */
const LEDGER_BYTES_MAX = 16 * 1024 * 1024;

const SAVE_SECONDS = 5;

/**
 * A class, since it remembers when it saved and whether a save is under way. The ledger file of a search: written
 * anew every few seconds and at the end, whole or not at all, so that whatever ends the search leaves one to go on
 * with. It holds the seed, so it is private.
 */
export class SearchLedger {
  readonly #path: string;
  #task: MiningTask | null = null;
  readonly #warn: (line: string) => void;
  /** Whether the file may be replaced; from the first save on it is ours. */
  #mayReplace: boolean;
  #savedAt = performance.now();
  #saving: Promise<void> | null = null;

  constructor(
    path: string,
    options: { readonly mayReplace: boolean; readonly warn: (line: string) => void },
  ) {
    this.#path = path;
    this.#mayReplace = options.mayReplace;
    this.#warn = options.warn;
  }

  /** Says which search it keeps. */
  begin(task: MiningTask): void {
    this.#task = task;
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
    if (this.#task === null) return;
    const text = `${JSON.stringify(savedSearchToJson(this.#task, state), null, 2)}\n`;
    await writeWhole(this.#path, text, { force: this.#mayReplace, isPrivate: true });
    this.#mayReplace = true;
  }
}

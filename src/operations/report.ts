/**
 * @module
 * The report of an operation as data. A shell draws it: the terminal as text, the browser as a page.
 */

import type { Truth } from '../election/properties.ts';

/** A column of a table. Numbers are aligned to the right. */
export interface ReportColumn {
  readonly name: string;
  readonly isNumber?: boolean;
  /** A table that is too wide leaves out the columns with the greatest value first. Without one it is needed. */
  readonly dropOrder?: number;
}

/** A change of the input that a reader can try. */
export interface Suggestion {
  readonly text: string;
  /** The members that it sets, as a person enters them. Null if no member does it. */
  readonly change: Readonly<Record<string, string>> | null;
}

export type Block =
  | {
      readonly type: 'sentence';
      readonly text: string;
      /** Null if it is no verdict. */
      readonly verdict: Truth | null;
    }
  | {
      /** Names with what is said of them. */
      readonly type: 'facts';
      readonly title?: string;
      /** Whether the texts are not divided into lines, because people copy them. */
      readonly isWhole?: true;
      readonly rows: readonly (readonly [name: string, text: string])[];
    }
  | {
      readonly type: 'table';
      readonly title: string;
      /** Whether a terminal leaves the title out, because the columns say it. */
      readonly isUntitled?: true;
      readonly columns: readonly ReportColumn[];
      readonly rows: readonly (readonly string[])[];
    }
  | {
      /** Remarks on all of the report, one paragraph each. */
      readonly type: 'notes';
      readonly notes: readonly string[];
    }
  | {
      /** Lines whose columns are aligned by spaces. */
      readonly type: 'lines';
      readonly title: string;
      readonly lines: readonly string[];
    }
  | {
      readonly type: 'suggestions';
      readonly title: string;
      readonly suggestions: readonly Suggestion[];
    };

export type Report = readonly Block[];

/** A sentence of a report. Without a verdict it only says something. */
export function sentenceBlock(text: string, verdict: Truth | null = null): Block {
  return { type: 'sentence', text, verdict };
}

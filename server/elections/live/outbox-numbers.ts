/**
 * @module
 * The message numbers that a node played from outside has used at L3. The same message sent again has no
 * effect. Another message with a used number is refused, because it would be an equivocation. As many
 * numbers are remembered as a receiver tracks.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../../../src/bytes.ts';
import { isFresh, NUMBERS_WINDOW } from '../../../src/election/authentication/message-numbers.ts';
import { LabError } from '../../../src/errors.ts';
import type { OutboxAction } from './action.ts';
import type { Numbered, ProofRules } from './outside-proof.ts';
import { numberedOf, proposedIn } from './outside-proof.ts';

/** An outbox without the messages that were sent before. */
export interface Sifted {
  /** Whether it contains numbered messages, all of which were sent before, with its other effects. */
  readonly isDuplicate: boolean;
  readonly fresh: OutboxAction;
  /** The numbers that it uses. */
  readonly numbered: readonly Numbered[];
}

type NumberUse = 'fresh' | 'duplicate';

/** Digests of texts by number, in the order in which they were used. */
type Used = Map<number, string>;

/** The used numbers of one election. */
export class OutboxNumbers {
  /** By sender and recipient. */
  readonly #links = new Map<string, { readonly used: Used; highest: number }>();

  /**
   * Whether the number is new, or this message was sent before. Throws LabError `message.equivocation` if
   * another message had the number, or may have had it.
   */
  judge({ by, to, number, text }: Numbered): NumberUse {
    const link = this.#links.get(linkOf(by, to));
    const before = link?.used.get(number);
    if (before === digestOf(text)) return 'duplicate';
    const isOld = link !== undefined && number <= link.highest - NUMBERS_WINDOW;
    if (before === undefined && !isOld && isFresh({ highest: 0, missing: [] }, number)) {
      return 'fresh';
    }
    const why = before === undefined ? 'is too far below those used' : 'was used for another';
    const highest = `the highest so far is ${link?.highest ?? 0}`;
    throw equivocation({ by, to, number }, `${why}; ${highest}`);
  }

  /** Removes the messages that were sent before, without using a number. Throws as `judge` does. */
  sift(rules: ProofRules, action: OutboxAction): Sifted {
    const taken = new Map<string, Numbered>();
    const repeated = new Set<number>();
    for (const proposed of proposedIn(action.node, action.effects)) {
      const numbered = numberedOf(rules, proposed);
      if (numbered === null) continue;
      const name = `${linkOf(numbered.by, numbered.to)}#${numbered.number}`;
      const other = taken.get(name);
      if (other !== undefined && other.text !== numbered.text) {
        throw equivocation(numbered, 'is here for two');
      }
      const use = other === undefined ? this.judge(numbered) : 'duplicate';
      if (use === 'fresh') taken.set(name, numbered);
      else repeated.add(proposed.index);
    }
    const isDuplicate = repeated.size > 0 && taken.size === 0;
    const effects = action.effects.filter((_, index) => !isDuplicate && !repeated.has(index));
    return { isDuplicate, fresh: { ...action, effects }, numbered: [...taken.values()] };
  }

  /** Marks a number as used. */
  note({ by, to, number, text }: Numbered): void {
    const name = linkOf(by, to);
    const link = this.#links.get(name) ?? { used: new Map<number, string>(), highest: 0 };
    this.#links.set(name, link);
    link.used.set(number, digestOf(text));
    link.highest = Math.max(link.highest, number);
    // Numbers below the window are refused anyway.
    if (link.used.size <= 2 * NUMBERS_WINDOW) return;
    for (const used of link.used.keys()) {
      if (used <= link.highest - NUMBERS_WINDOW) link.used.delete(used);
    }
  }
}

function equivocation({ by, to, number }: Omit<Numbered, 'text'>, why: string): LabError {
  const detail = `the number ${number} of a message from ${by} to ${to} ${why}`;
  return new LabError('message.equivocation', detail);
}

function linkOf(by: number, to: number): string {
  return `${by}>${to}`;
}

function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

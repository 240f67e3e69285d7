/**
 * @module
 * Which numbers a node that is played from outside has used, where messages are numbered (L3): the
 * same message sent again has no effect, and another one under a number that was used is refused,
 * since it would show two faces. Kept for as many numbers as a receiver keeps track of.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../../../src/bytes.ts';
import { isFresh, NUMBERS_WINDOW } from '../../../src/election/message-numbers.ts';
import { LabError } from '../../../src/errors.ts';
import type { OutboxAction } from './action.ts';
import type { Numbered, ProofRules } from './outside-proof.ts';
import { numberedOf, proposedIn } from './outside-proof.ts';

/** What is left of an outbox when what was said before is taken out. */
export interface Sifted {
  /** All that it says was said before, with numbers: whatever else it does was done then, too. */
  readonly isDuplicate: boolean;
  readonly fresh: OutboxAction;
  /** The numbers that it takes. */
  readonly numbered: readonly Numbered[];
}

export type NumberUse = 'fresh' | 'duplicate';

/** Digests of texts by number, in the order in which they were used. */
type Used = Map<number, string>;

/** Owns what it knows of one election. */
export class OutboxNumbers {
  /** By sender and recipient. */
  readonly #links = new Map<string, { readonly used: Used; highest: number }>();

  /**
   * Whether the number is new or this message was sent before. Throws LabError `message.equivocation`
   * where another message had it, or may have had.
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
    throw twoFaces({ by, to, number, text }, `${why}; the highest so far is ${link?.highest ?? 0}`);
  }

  /** Takes out what was sent before, and changes nothing. Throws as `judge` does. */
  sift(rules: ProofRules, action: OutboxAction): Sifted {
    const taken = new Map<string, Numbered>();
    const repeated = new Set<number>();
    for (const proposed of proposedIn(action.node, action.effects)) {
      const numbered = numberedOf(rules, proposed);
      if (numbered === null) continue;
      const name = `${linkOf(numbered.by, numbered.to)}#${numbered.number}`;
      const other = taken.get(name);
      if (other !== undefined && other.text !== numbered.text)
        throw twoFaces(numbered, 'is here for two');
      const use = other === undefined ? this.judge(numbered) : 'duplicate';
      if (use === 'fresh') taken.set(name, numbered);
      else repeated.add(proposed.index);
    }
    const isDuplicate = repeated.size > 0 && taken.size === 0;
    const effects = action.effects.filter((_, index) => !isDuplicate && !repeated.has(index));
    return { isDuplicate, fresh: { ...action, effects }, numbered: [...taken.values()] };
  }

  /** Takes a number for used. */
  note({ by, to, number, text }: Numbered): void {
    const name = linkOf(by, to);
    const link = this.#links.get(name) ?? { used: new Map<number, string>(), highest: 0 };
    this.#links.set(name, link);
    link.used.set(number, digestOf(text));
    link.highest = Math.max(link.highest, number);
    // Those below the window are refused without a look at them.
    if (link.used.size <= 2 * NUMBERS_WINDOW) return;
    for (const used of link.used.keys()) {
      if (used <= link.highest - NUMBERS_WINDOW) link.used.delete(used);
    }
  }
}

function twoFaces({ by, to, number }: Numbered, why: string): LabError {
  const detail = `the number ${number} of a message from ${by} to ${to} ${why}`;
  return new LabError('message.equivocation', detail);
}

function linkOf(by: number, to: number): string {
  return `${by}>${to}`;
}

function digestOf(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

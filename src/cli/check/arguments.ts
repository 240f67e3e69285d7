/**
 * @module
 * The arguments of `usurp check` that no other verb has.
 */

import { InvalidArgumentError, Option } from 'commander';
import type { CheckedByzantine } from '../../checking/byzantine-cast.ts';
import type { Bounds, Pair } from '../../checking/instance.ts';
import { BOUND_MAX, BOUND_NAMES, NO_FAULTS } from '../../checking/instance.ts';
import { CHECKED_PROPERTY_NAMES } from '../../checking/properties/registry.ts';
import { PROPERTY_NAMES } from '../../experiment/properties/registry.ts';
import { someOf } from '../shell/arguments.ts';

/** Behaviours of one Byzantine node. With --cost, the rank is null: all Byzantine nodes have them. */
export interface Played extends Omit<CheckedByzantine, 'rank'> {
  readonly rank: number | null;
}

/** An option that is on by default. */
export function onOff(flags: string, description: string): Option {
  return new Option(flags, description).choices(['on', 'off']).default('on');
}

/** Reads `2=swallow,flap` or `swallow,flap`, and adds it to the values of earlier flags. */
export function readBehaviour(given: string, before: readonly Played[] = []): Played[] {
  const [, rank, names] = /^(?:(\d{1,2})=)?([a-z,-]+)$/.exec(given) ?? [];
  if (names === undefined) {
    throw new InvalidArgumentError('must be a rank and behaviours, such as 2=swallow');
  }
  const behaviours = names.split(',');
  return [...before, { rank: rank === undefined ? null : Number(rank), behaviours }];
}

/** Reads names of properties, or `all`. The refusal of a property of threat models says why it cannot be checked. */
export function readProperties(text: string): readonly string[] {
  const runs: readonly string[] = PROPERTY_NAMES;
  const known: readonly string[] = [...CHECKED_PROPERTY_NAMES, 'all'];
  const named = text.split(',').find((name) => !known.includes(name) && runs.includes(name));
  if (named !== undefined) {
    throw new InvalidArgumentError(
      `${named} judges whole runs by ticks, rankings or epochs, which a world does not have; in a property of your own, "worlds" judges worlds`,
    );
  }
  return someOf(known)(text);
}

const GIVEN_TWICE = 'the flag is given twice: write one list, separated by commas';

/** Reads `1-2,3-4`. */
export function readPairs(text: string, before?: readonly Pair[]): readonly Pair[] {
  if (before !== undefined) throw new InvalidArgumentError(GIVEN_TWICE);
  return text.split(',').map((part) => {
    const [, one, other] = /^(\d+)-(\d+)$/.exec(part.trim()) ?? [];
    if (one === undefined || other === undefined || one === other) {
      throw new InvalidArgumentError('must be pairs of different ranks, such as 1-2,3-4');
    }
    return [Number(one), Number(other)];
  });
}

/** Reads `crash=1,loss=2`. Bounds of an earlier flag would be lost without a word, so that there must be none. */
export function readBounds(text: string, before: Bounds = NO_FAULTS): Bounds {
  if (before !== NO_FAULTS) throw new InvalidArgumentError(GIVEN_TWICE);
  const bounds: { -readonly [Name in keyof Bounds]: Bounds[Name] } = { ...NO_FAULTS };
  const named = new Set<string>();
  for (const part of text.split(',')) {
    const [, name, count] = /^([a-z]+)=(\d)$/.exec(part.trim()) ?? [];
    const known = BOUND_NAMES.find((each) => each === name);
    if (known === undefined || Number(count) > BOUND_MAX) {
      throw new InvalidArgumentError(
        `must be a list such as crash=1,loss=2, of ${BOUND_NAMES.join(', ')}, each from 0 to ${BOUND_MAX}`,
      );
    }
    if (named.has(known)) {
      throw new InvalidArgumentError(`names ${known} twice: give one bound for each fault`);
    }
    named.add(known);
    bounds[known] = Number(count);
  }
  return bounds;
}

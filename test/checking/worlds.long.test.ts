/**
 * @module
 * The packed search against a search over plain worlds: on drawn instances of all protocols both find the same
 * numbers of worlds and transitions at every depth.
 */

import { describe, expect, it } from 'vitest';
import { KIND, kindOf, reportCode } from '../../src/checking/action-codes.ts';
import { NO_FAULTS } from '../../src/checking/instance.ts';
import type { Packed } from '../../src/checking/layout.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { ONE_LEADER_PER_EPOCH } from '../../src/checking/properties/one-leader-per-epoch.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import { Worlds } from '../../src/checking/worlds.ts';
import { createCast } from '../../src/election/world/cast.ts';
import { checked } from './checked.ts';
import { drawInstance, packedLevels } from './drawn.ts';
import { plainLevels } from './plain-search.ts';
import { instanceOf } from './small-instances.ts';

const INSTANCES = 200;
const WORLDS_MAX = 120;

describe('packed worlds', () => {
  it.each(Array.from({ length: INSTANCES }, (_, index) => index))(
    'are the plain ones (%i)',
    (index) => {
      const { instance, text } = drawInstance(index);

      const packed = packedLevels(instance, WORLDS_MAX);

      expect(packed, text).toEqual(plainLevels(instance, WORLDS_MAX));
    },
  );
});

describe('the return of a node', () => {
  it('is reported to nodes that have no report of the crash, before its first step', () => {
    const bounds = { crash: 1, recover: 1 };
    const worlds = new Worlds(
      instanceOf('bully-oneshot', 3, { timing: 'synchronous', bounds }),
      null,
    );

    carryOut(worlds, [KIND.start, KIND.start, KIND.start, KIND.crash, KIND.recover]);

    expect(worlds.parts.slice(0, 2)).toEqual([
      reportCode('trust', 2, 1),
      reportCode('trust', 3, 1),
    ]);
  });

  it('is reported to a paused node when it resumes, also if the other is down again', () => {
    const bounds = { crash: 2, recover: 1, pause: 1 };
    const worlds = new Worlds(instanceOf('bully-oneshot', 3, { bounds }), null);
    const kinds = [KIND.start, KIND.start, KIND.start, KIND.crash, KIND.pause] as const;

    carryOut(worlds, [...kinds, KIND.recover, KIND.crash, KIND.resume]);

    expect(worlds.parts.slice(1)).toEqual([reportCode('trust', 2, 1)]);
  });
});

describe('a drawn name', () => {
  it.each([
    ['lease-local', 'request'],
    ['zk-recipe', 'guid'],
  ] as const)('of %s is in no message from before a crash (%s)', (protocol, member) => {
    const bounds = { crash: 1, recover: 1 };
    const worlds = new Worlds(instanceOf(protocol, 1, { bounds }), null);
    const kinds = [KIND.start, KIND.name, KIND.crash, KIND.recover, KIND.name];

    const { words, length } = carryOut(worlds, kinds);

    const sent = Array.from(words.subarray(worlds.layout.fixed, length), (number) =>
      Object.entries(worlds.steps.messages.valueOf(number).message).find(([key]) => key === member),
    );
    expect(sent).toHaveLength(2);
    expect(sent[0]?.[1]).not.toBe(sent[1]?.[1]);
  });

  it('distinguishes the requests of two lives', () => {
    const bounds = { crash: 1, recover: 1, timeout: 2 };
    const instance = instanceOf('lease-local', 1, { bounds });

    const { worlds } = plainLevels(instance, Number.POSITIVE_INFINITY);

    const statesWith = (properties: readonly CheckedProperty[]) =>
      checked('lease-local', 1, { bounds, properties }).counts.states;
    expect(statesWith([])).toBe(worlds.reduce((total, each) => total + each, 0));
    expect(statesWith([ONE_LEADER_PER_EPOCH])).toBe(4129);
  });
});

/** Carries out the first possible action of each kind. Returns the world after them. */
function carryOut(worlds: Worlds, kinds: readonly number[]): Packed {
  let [source, target] = [emptyPacked(), emptyPacked()];
  worlds.first(source);
  for (const kind of kinds) {
    const codes: number[] = [];
    worlds.enabled(source, codes);
    worlds.faults(source, codes);
    const code = codes.find((each) => kindOf(each) === kind);
    if (code === undefined) throw new RangeError(`no action of kind ${kind}`);
    worlds.apply(source, code, target);
    [source, target] = [target, source];
  }
  return source;
}

describe('the return of a node that was down before the election', () => {
  it('is reported although no node can crash', () => {
    const crashedBefore = [3];
    const ring = [1, 2, 3];
    const timing = { latencyTicksMax: 1 };
    const worlds = new Worlds(
      {
        protocol: 'bully-oneshot',
        cast: createCast({ protocol: 'bully-oneshot', timing, ring, crashedBefore }),
        ...{ crashedBefore, initiators: [], starts: 'any', timing: 'asynchronous', links: 'any' },
        bounds: { ...NO_FAULTS, recover: 1 },
        ...{ cut: [], perLink: null },
        ...{ isShifted: false, spread: null },
      },
      null,
    );
    const [first, next] = [emptyPacked(), emptyPacked()];
    const codes: number[] = [];

    worlds.first(first);
    worlds.faults(first, codes);
    const recovery = codes.find((code) => kindOf(code) === KIND.recover) ?? 0;
    worlds.apply(first, recovery, next);

    expect(worlds.parts).toEqual([reportCode('trust', 1, 3), reportCode('trust', 2, 3), recovery]);
  });
});

/**
 * @module
 * The checks of `usurp conform` that need no faults: every protocol of the registry passes them, and a
 * protocol with a wrong fact or a machine that breaks the contract is reported.
 */

import { describe, expect, it } from 'vitest';

import type { Protocol } from '../../../src/election/definition/protocol.ts';
import type { Effects, Json, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { checkCounters } from '../../../src/experiment/checks/conform-counters.ts';
import { memberProblem } from '../../../src/runtime/load/missing-member.ts';
import { checkCandidates } from '../../../src/simulation/conform/conform.ts';
import { checkContract } from '../../../src/simulation/conform/contract.ts';
import { checkElections } from '../../../src/simulation/conform/elections.ts';
import { guarded, held, tried } from '../../../src/simulation/conform/finding.ts';

import { SEED } from '../ring/rings.ts';

const ALL: readonly Protocol[] = Object.values(PROTOCOLS);

describe('every protocol of the registry', () => {
  it.each(ALL)('$name: has right facts and keeps the contract', (protocol) => {
    const subject = { protocol, seed: SEED };
    const findings = [checkCandidates(subject), ...checkContract(subject)];

    expect(memberProblem('protocol', protocol)).toBeNull();
    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
  });
});

describe('an election of every protocol of the registry', () => {
  it.each(ALL)('$name: keeps what its definition states', (protocol) => {
    const findings = checkElections({ protocol, seed: SEED });

    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
  });
});

describe('the counters of every protocol of the registry that states some', () => {
  it.each(ALL.filter(({ counters }) => counters.length > 0))('$name: are counters', (protocol) => {
    const findings = checkCounters({ protocol, seed: SEED });

    expect(findings).toMatchObject([{ holds: true }]);
  });
});

/** cr-join without the candidates of one message type. */
function withoutCandidates(type: string): Protocol {
  const { messages } = PROTOCOLS['cr-join'];
  const facts = messages[type];
  if (facts === undefined) throw new RangeError(`"type" expected a message, got ${type}`);
  const changed = { ...messages, [type]: { ...facts, candidates: [] } };
  return { ...PROTOCOLS['cr-join'], messages: changed };
}

describe('the check of candidates', () => {
  it.each([
    [
      'PROBE',
      '"messages.PROBE.candidates" lacks candidate: "alterations" puts highest-rank into it',
    ],
    [
      'SELECTED',
      '"messages.SELECTED.candidates" lacks leader: the forged announcement names its subject in it',
    ],
  ])('reports a member of %s that is left out', (type, detail) => {
    const protocol = withoutCandidates(type);

    const finding = checkCandidates({ protocol, seed: SEED });

    expect(finding).toMatchObject({ holds: false, detail });
  });
});

/** cr-join, whose machine puts another member into its state at every event. */
function keeping(add: (state: object) => void): Protocol {
  const protocol = PROTOCOLS['cr-join'];
  return {
    ...protocol,
    create: (timing) => {
      const machine = protocol.create(timing);
      return {
        ...machine,
        step(self, state: Json, event, effects: Effects<Message>) {
          machine.step(self, state, event, effects);
          add(Object(state));
        },
      };
    },
  };
}

describe('the check of the state', () => {
  it.each<[string, (state: object) => void, string]>([
    ['-0', (state) => Object.assign(state, { extra: -0 }), 'state.extra'],
    ['a symbol', (state) => Object.assign(state, { [Symbol('own')]: 1 }), 'state.Symbol(own)'],
    [
      'a getter',
      (state) =>
        Object.defineProperty(state, 'extra', {
          get: () => 1,
          enumerable: true,
          configurable: true,
        }),
      'state.extra',
    ],
    [
      'a hidden member',
      (state) => Object.defineProperty(state, 'extra', { value: 1, configurable: true }),
      'state.extra',
    ],
    ['a hole', (state) => Object.assign(state, { extra: new Array(1) }), 'state.extra'],
  ])('reports %s', (_what, add, path) => {
    const findings = checkContract({ protocol: keeping(add), seed: SEED });

    expect(findings).toContainEqual({
      check: 'keeps its state as plain JSON data',
      holds: false,
      detail: `JSON cannot hold ${path}`,
    });
  });
});

describe('a finding', () => {
  const textless = {
    toString() {
      throw new TypeError('no text');
    },
  };
  const fails = () => {
    throw textless;
  };

  it('reports a thrown object without a text', () => {
    const detail = 'a thrown object without a text';

    expect(tried('a check', 1, fails)).toEqual({ check: 'a check', holds: false, detail });
    expect(guarded('a check', fails)).toEqual({ check: 'a check', holds: false, detail });
  });

  it('is returned by a check that throws nothing', () => {
    const finding = held('a check', 'tried');

    expect(guarded('a check', () => finding)).toBe(finding);
  });
});

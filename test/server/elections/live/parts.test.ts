/**
 * @module
 * The parts of actions: how much work one of them is at most in the largest elections that are accepted, and
 * that other requests are answered between them. No time is measured: the messages of a part are counted.
 */

import { describe, expect, it } from 'vitest';
import type { ElectionAction } from '../../../../server/elections/live/action.ts';
import { carryOut } from '../../../../server/elections/live/action.ts';
import { LiveElection } from '../../../../server/elections/live/live-election.ts';
import {
  electionRequestSchema,
  parseElectionRequest,
} from '../../../../server/elections/live/request.ts';
import { Stage } from '../../../../server/elections/live/stage.ts';
import { PROTOCOL_NAMES } from '../../../../src/election/registry.ts';
import { LabError } from '../../../../src/errors.ts';
import { principalOf } from '../../principals.ts';

/** Parts of each action that are examined. */
const PARTS = 60;
/** Messages of one part. Sealing one of them takes up to 20 microseconds. */
const SEALED_PER_PART = 500;
const SENT_PER_PART = 10_000;

function planOf(body: object) {
  return parseElectionRequest(electionRequestSchema.parse({ seed: '1', ...body }));
}

/** The election of a protocol with the most nodes that are accepted. */
function largest(protocol: string, more: object): Stage {
  for (let nodes = 500; nodes > 0; nodes -= 1) {
    try {
      return new Stage(planOf({ protocol, nodes, ...more }));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
    }
  }
  throw new Error(`${protocol} accepts no size`);
}

/** The most messages that one of the first parts of these actions sends. */
function mostSent(stage: Stage, actions: readonly ElectionAction[]): number {
  let most = 0;
  for (const action of actions) {
    const course = carryOut(stage, action);
    for (let part = 0; part < PARTS; part += 1) {
      const { total: before = 0 } = stage.simulation.progress().messages;
      const { done } = course.next();
      const { total: after = 0 } = stage.simulation.progress().messages;
      most = Math.max(most, after - before);
      if (done === true) break;
    }
  }
  return most;
}

const START: ElectionAction = { type: 'start' };
const ADVANCE: ElectionAction = { type: 'advance', until: 'idle' };

describe('a part of an action in the largest election', () => {
  it.each(PROTOCOL_NAMES)('of %s with seals sends few messages', (protocol) => {
    const stage = largest(protocol, { level: 'L3' });
    expect(mostSent(stage, [START, ADVANCE])).toBeLessThanOrEqual(SEALED_PER_PART);
  });

  it.each(PROTOCOL_NAMES)('of %s without seals sends few messages', (protocol) => {
    const stage = largest(protocol, {});
    expect(mostSent(stage, [START, ADVANCE])).toBeLessThanOrEqual(SENT_PER_PART);
  });

  it.each([
    ['a suspicion by all nodes', {}, { type: 'suspect', rank: 100 }],
    ['a crash that all nodes notice at once', { detector: 'links' }, { type: 'crash', rank: 100 }],
  ] as const)('of %s is one step of one node', (_what, more, action) => {
    const stage = new Stage(
      planOf({ protocol: 'bully-oneshot', nodes: 100, level: 'L3', ...more }),
    );
    mostSent(stage, [{ type: 'start', nodes: [99] }]);
    expect(mostSent(stage, [action, ADVANCE])).toBeLessThanOrEqual(SEALED_PER_PART);
  });
});

describe('a part of a start or an advance', () => {
  it.each([
    [START, { detector: 'links' }],
    [START, { detector: 'fd-oracle' }],
    [{ type: 'advance', until: 0 } as const, { detector: 'links' }],
  ])('of %j carries out one of many crashes that are due: %j', (action, more) => {
    const crash = Array.from({ length: 80 }, (_, index) => ({ rank: index + 1, at: 0 }));
    const stage = new Stage(planOf({ protocol: 'bully-oneshot', nodes: 100, crash, ...more }));
    const up: number[] = [];
    for (const course = carryOut(stage, action); course.next().done !== true; ) {
      up.push(stage.simulation.nodes().filter((node) => node.up).length);
    }

    expect(up[0]).toBeGreaterThanOrEqual(99);
    expect(up.at(-1)).toBe(20);
    expect(up.every((now, at) => at === 0 || now >= (up[at - 1] ?? 0) - 1)).toBe(true);
  });
});

describe('an election', () => {
  it('can be read while all its nodes start', async () => {
    const principal = principalOf('one');
    const plan = planOf({ protocol: 'zab-fle', nodes: 66, level: 'L3' });
    const election = new LiveElection('e_1', plan, principal);
    const seen: number[] = [];
    election.onEvents(() => void seen.push(election.status().messages.total ?? 0));

    await election.act({ type: 'start' }, { principal });

    const { total } = election.status().messages;
    expect(total).toBe(66 * 65);
    expect(seen.some((sent) => sent > 0 && sent < 66 * 65)).toBe(true);
  });
});

/**
 * @module
 * How a trace with a Byzantine node is judged: whose statements count, and which violations are of honest nodes alone.
 */

import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/election/machine.ts';
import type { ProtocolName } from '../../../../src/election/registry.ts';
import { toRank } from '../../../../src/election/world/cast.ts';
import type { EffectRecord } from '../../../../src/election/world/effect-record.ts';
import type { TraceRecord } from '../../../../src/simulation/engine/trace.ts';

import { byzantineViolations } from './judge.ts';

const BYZANTINE = 3;
type Step = readonly [node: number, effect: EffectRecord];

/** What is found in a trace of four, of which 3 is Byzantine, in which these effects happen. */
function found(protocol: ProtocolName, steps: readonly Step[]): string[] {
  const records = steps.map(([node, effect], seq): TraceRecord => {
    return { seq, t: seq, action: { type: 'timeout', node, timer: 'any' }, effects: [effect] };
  });
  return judged(protocol, records);
}

function judged(protocol: ProtocolName, records: readonly TraceRecord[], unheard: Message[] = []) {
  return byzantineViolations({
    ...{ protocol, nodes: 4, byzantineRanks: [BYZANTINE], absent: [], end: 100 },
    ...{ unheard: new Set(unheard), records },
  }).map(({ property, who, at }) => `${property} ${who} at ${at}`);
}

function follows(node: number, leader: number, epoch = 0): Step {
  return [node, { type: 'elect', leader: toRank(leader), epoch }];
}

const ALL_FOLLOW_4 = [follows(4, 4), follows(1, 4), follows(2, 4)];

describe('a trace with a Byzantine node', () => {
  it('does not judge what the Byzantine node itself states', () => {
    expect(found('bully-oneshot', [...ALL_FOLLOW_4, follows(BYZANTINE, BYZANTINE)])).toEqual([]);
  });

  it('lets a Byzantine node lead as long as an honest node follows it', () => {
    const misled = found('bully-oneshot', [...ALL_FOLLOW_4, follows(1, BYZANTINE), follows(1, 4)]);
    const resigned = [
      follows(BYZANTINE, BYZANTINE),
      follows(1, BYZANTINE),
      follows(BYZANTINE, 4),
      ...ALL_FOLLOW_4,
    ];

    expect(misled).toEqual(['S1 3,4 at 3']);
    expect(found('bully-oneshot', resigned)).toEqual([]);
  });

  it('names those that follow the wrong one at the end, and one that is none', () => {
    const wrong = found('cr-join', [follows(4, 4), follows(1, BYZANTINE), follows(2, BYZANTINE)]);
    const none = found('cr-join', [follows(4, 9), follows(1, 9), follows(2, 9)]);

    expect(wrong).toEqual(['S1 3,4 at 1', 'S2 1,2,4 at 100', 'S3 1,2 at 100']);
    expect(none).toEqual(['S3 1,2,4 at 100', 'L 1,2,4 at 100']);
  });

  it('lets a Byzantine node that is followed lead in an epoch, and no other one beside it', () => {
    const beside = [follows(1, BYZANTINE, 1), follows(2, BYZANTINE, 1), follows(4, BYZANTINE, 2)];
    const clash = [...beside, follows(1, BYZANTINE, 2), follows(4, 4, 2)];

    expect(found('raft', beside)).toEqual([]);
    expect(found('raft', clash)).toContain('S1 3,4 at 4');
  });

  it('counts no vote that was not heard', () => {
    const vote = { type: 'VOTE_REPLY', term: 1, granted: true };
    const send = (voter: number, id: number, message: Message): TraceRecord => ({
      ...{ seq: 2 * id, t: id, action: { type: 'timeout', node: voter, timer: 'any' } },
      effects: [{ type: 'send', id, to: toRank(4), message }],
    });
    const arrive = (id: number): TraceRecord => {
      return { seq: 2 * id + 1, t: id, action: { type: 'deliver', message: id }, effects: [] };
    };
    const forged = { ...vote };
    const lead: TraceRecord = {
      ...{ seq: 9, t: 9, action: { type: 'timeout', node: 4, timer: 'any' } },
      effects: [{ type: 'elect', leader: toRank(4), epoch: 1 }],
    };
    const records = [
      send(1, 0, { ...vote }),
      arrive(0),
      send(BYZANTINE, 1, forged),
      arrive(1),
      lead,
    ];

    expect(judged('raft', records)).not.toContain('S4 4 at 9');
    expect(judged('raft', records, [forged])).toContain('S4 4 at 9');
  });
});

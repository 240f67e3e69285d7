/**
 * @module
 * Defences that are settings: of a protocol, of what leaders work on, or of which protocol is run. They
 * wrap nothing; whoever plans a run takes what they change from here.
 */

import type { ProtocolName } from '../registry.ts';
import type { Setting, SettingDefence } from './defence.ts';
import { EPOCH_STEP_MAX } from './epoch-step.ts';

export const PRE_VOTE: SettingDefence = {
  kind: 'setting',
  name: 'pre-vote',
  code: 'D8',
  summary:
    'Has a candidate ask for a majority before it raises its term, and leaders and voters hold on to a leader that a majority hears, so that a node that was cut off deposes nobody; costs one more round of messages for each election.',
  unsupportedReason: (protocol) =>
    protocol === 'raft' ? null : 'nobody is deposed by a candidate that cannot win in it',
  needsLevel: null,
  setting: (protocol) =>
    fitting(PRE_VOTE, protocol, { flags: { preVote: 'on', checkQuorum: 'on' } }),
};

export const FENCING: SettingDefence = {
  kind: 'setting',
  name: 'fencing',
  code: 'D9',
  summary: `Has the resource refuse epochs below the highest it has seen, and more than ${EPOCH_STEP_MAX} above, so that a leader of the past does no harm; costs it the memory of one number, and it does not prevent two leaders.`,
  unsupportedReason: (protocol) =>
    NUMBERED.includes(protocol)
      ? null
      : 'its leaders have no epochs, by which a resource could tell them apart',
  needsLevel: null,
  setting: (protocol) =>
    fitting(FENCING, protocol, {
      work: { resource: 'fencing-max', everyTicks: null, epochStepMax: EPOCH_STEP_MAX },
    }),
};

/** Those whose epochs no two leaders share. */
const NUMBERED: readonly ProtocolName[] = [
  'raft',
  'quorum-lease',
  'zk-slide-quorum',
  'zab-fle',
  'db-lease',
  'lease-local',
  'zk-recipe',
];

const ROBUST: Readonly<Partial<Record<ProtocolName, ProtocolName>>> = {
  'cr-join': 'ring-robust',
  peterson: 'ring-robust:peterson',
};

export const SUCCESSOR_LIST: SettingDefence = {
  kind: 'setting',
  name: 'successor-list',
  code: 'D6',
  summary:
    'Runs the protocol on a ring that goes past nodes that are down or accused; costs an election for each of them, and needs a detector that never errs.',
  unsupportedReason: (protocol) =>
    ROBUST[protocol] === undefined ? 'there is no robust ring that carries its tokens' : null,
  needsLevel: null,
  setting(protocol) {
    const robust = ROBUST[protocol];
    return fitting(SUCCESSOR_LIST, protocol, robust === undefined ? {} : { protocol: robust });
  },
};

function fitting(
  { name, unsupportedReason }: SettingDefence,
  protocol: ProtocolName,
  setting: Setting,
): Setting {
  if (unsupportedReason(protocol) === null) return setting;
  throw new RangeError(`"protocol" expected one that ${name} fits, got ${protocol}`);
}

/**
 * @module
 * Seeded bugs of the ring protocols, and the check that kills each.
 */

import type { CheckName } from './checks.ts';
import type { Mutant } from './mutation.ts';

export const RING_MUTANTS = [
  {
    name: 'cr-forwards-smaller',
    bug: 'A PROBE that is lower than the node passes it.',
    file: 'src/election/ring/cr-join.ts',
    oldText: 'if (message.candidate > self.rank) {',
    newText: 'if (message.candidate !== self.rank) {',
    killedBy: 'cr-join: counts',
  },
  {
    name: 'cr-drops-equal',
    bug: 'A PROBE that comes home is dropped as one that is too low.',
    file: 'src/election/ring/cr-join.ts',
    oldText: '} else if (message.candidate === self.rank && state.probing) {',
    newText: '} else if (message.candidate === self.rank && !state.probing) {',
    killedBy: 'cr-join: counts',
  },
  {
    name: 'cr-no-join',
    bug: 'A node that a PROBE reaches first sends none of its own.',
    file: 'src/election/ring/cr-join.ts',
    oldText: 'if (!state.joined) probe(self, state, effects);',
    newText: 'if (!state.joined) state.joined = true;',
    killedBy: 'cr-join: counts',
  },
  {
    name: 'cr-selected-goes-on',
    bug: 'The leader sends on its own SELECTED instead of absorbing it once.',
    file: 'src/election/ring/cr-join.ts',
    oldText: '  if (message.leader === self.rank) return;',
    newText:
      '  if (message.leader === self.rank && !state.joined) return;\n  state.joined = false;',
    killedBy: 'cr-join: counts',
  },
  {
    name: 'cr-replace-forgets-own-mark',
    bug: 'A node that has sent its own PROBE is not marked.',
    file: 'src/election/ring/cr-replace.ts',
    oldText: '  state.marked = true;\n  state.probing = true;',
    newText: '  state.probing = true;',
    killedBy: 'cr-replace: counts',
  },
  {
    name: 'cr-replace-forgets-passing-mark',
    bug: 'A node that has let a higher PROBE pass is not marked.',
    file: 'src/election/ring/cr-replace.ts',
    oldText: '    state.marked = true;\n    effects.send(successor(self), message);',
    newText: '    effects.send(successor(self), message);',
    killedBy: 'cr-replace: late starts',
  },
  {
    name: 'cr-always-drops',
    bug: 'What is too low is dropped by a node that has probed.',
    file: 'src/election/ring/cr-always.ts',
    oldText: 'else if (message.candidate < self.rank) probe(self, state, effects);',
    newText:
      'else if (message.candidate < self.rank && !state.probing) probe(self, state, effects);',
    killedBy: 'cr-always: counts',
  },
  {
    name: 'lelann-counts-early',
    bug: 'The ELECT that wakes a node goes on ahead of its own, whose list then ends before all are in.',
    file: 'src/election/ring/ring-lelann.ts',
    oldText:
      '  if (message.election > state.election) begin(self, state, message.election, effects);\n',
    newText: `  if (message.election > state.election) {
    effects.send(successor(self), message);
    begin(self, state, message.election, effects);
    state.list.push(message.candidate);
    return;
  }
`,
    killedBy: 'ring-lelann: any order between links',
  },
  {
    name: 'lelann-no-own',
    bug: 'The highest of the others is elected: the list does not hold the node itself.',
    file: 'src/election/ring/ring-lelann.ts',
    oldText: 'const leader = highestOf(state.list, self.rank);',
    newText: 'const leader = highestOf(state.list.slice(1), state.list[1] ?? self.rank);',
    killedBy: 'ring-lelann: counts',
  },
  {
    name: 'collect-not-added',
    bug: 'Nobody but the initiator is in the list that comes home.',
    file: 'src/election/ring/ring-collect.ts',
    oldText: 'const ids = [...message.ids, self.rank];',
    newText: 'const ids = [...message.ids];',
    killedBy: 'ring-collect: counts',
  },
  {
    name: 'maxtoken-keeps-lower',
    bug: 'A TOKEN keeps the lower of two ranks.',
    file: 'src/election/ring/ring-maxtoken.ts',
    oldText: 'message.max > self.rank ? message.max : self.rank',
    newText: 'message.max < self.rank ? message.max : self.rank',
    killedBy: 'ring-maxtoken: counts',
  },
  {
    name: 'attr-ties',
    bug: 'Of two with equal attributes the rank does not decide.',
    file: 'src/election/ring/ring-attr.ts',
    oldText: '(one.attr === other.attr && one.id > other.id)',
    newText: '(one.attr === other.attr && one.id < other.id)',
    killedBy: 'ring-attr: counts',
  },
  {
    name: 'hs-no-wake',
    bug: 'A sleeping node is not a candidate when a FROM reaches it.',
    file: 'src/election/ring/hirschberg-sinclair.ts',
    oldText: "if (rule === 'wake' && context.state.phase === 'asleep') stand(context);\n",
    newText: '',
    killedBy: 'hs-wake: leaders',
  },
  {
    name: 'hs-one-hop-more',
    bug: 'A question goes one hop beyond its reach.',
    file: 'src/election/ring/hirschberg-sinclair.ts',
    oldText: 'if (hops < message.hopsMax) pass',
    newText: 'if (hops <= message.hopsMax) pass',
    killedBy: 'hs-wake: counts',
  },
  {
    name: 'hs-one-answer',
    bug: 'A candidate goes on when one of its two questions came back OK.',
    file: 'src/election/ring/hirschberg-sinclair.ts',
    oldText: 'if (state.clockwiseOk && state.counterclockwiseOk) {',
    newText: 'if (state.clockwiseOk || state.counterclockwiseOk) {',
    killedBy: 'hs-wake: both answers',
  },
  {
    name: 'peterson-strictly-higher',
    bug: 'Of two active nodes left neither goes on: an ID must beat even itself.',
    file: 'src/election/ring/peterson.ts',
    oldText: '} else if (state.nearer >= higher(state.tid, tid)) {',
    newText: '} else if (state.nearer > higher(state.tid, tid)) {',
    killedBy: 'peterson: leaders',
  },
  {
    name: 'peterson-second-alone',
    bug: 'The second message carries what came instead of the higher of both.',
    file: 'src/election/ring/peterson.ts',
    oldText: 'pass(context, higher(state.tid, tid));',
    newText: 'pass(context, state.tid);',
    killedBy: 'peterson: leaders',
  },
  {
    name: 'prose-ends-in-mid-phase',
    bug: 'An ID that equals the own one ends the election, also as the second of a phase.',
    file: 'src/election/ring/peterson.ts',
    oldText: "state.role === 'active' && state.nearer === null && tid === state.tid",
    newText: "state.role === 'active' && tid === state.tid",
    killedBy: 'peterson-prose: never the highest',
  },
  {
    name: 'itai-rodeh-stays-unique',
    bug: 'A TOKEN that meets an equal choice does not remember it.',
    file: 'src/election/ring/itai-rodeh.ts',
    oldText: 'forward(context, token, false);',
    newText: 'forward(context, token, true);',
    killedBy: 'itai-rodeh: one leader',
  },
  {
    name: 'robust-sends-to-the-dead',
    bug: 'A neighbour that is suspected is not skipped.',
    file: 'src/election/ring/ring-robust.ts',
    oldText: 'return ahead.filter((rank) => !suspected.includes(rank));',
    newText: 'return ahead.filter((rank) => rank || suspected.includes(rank));',
    killedBy: 'ring-robust: crashes',
  },
  {
    name: 'robust-goes-on',
    bug: 'A crash during an election does not begin the next one.',
    file: 'src/election/ring/ring-robust.ts',
    oldText: 'if (state.running || node === state.leader) begin(context, state.election + 1);',
    newText: 'if (node === state.leader) begin(context, state.election + 1);',
    killedBy: 'ring-robust: crashes',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];

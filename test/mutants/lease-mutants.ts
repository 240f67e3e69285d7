/**
 * @module
 * Seeded bugs of the lease family, its stores and the fence, and the check that kills each.
 */

import type { CheckName } from './checks.ts';
import type { Mutant } from './mutation.ts';

export const LEASE_MUTANTS = [
  {
    name: 'table-does-not-compare',
    bug: 'A SWAP writes its row whatever version it expected.',
    file: 'src/election/lease/lease-table.ts',
    oldText: 'if ((state.row?.version ?? 0) === message.expected) state.row',
    newText: 'state.row',
    killedBy: 'db-lease: one leader',
  },
  {
    name: 'db-lease-impatient',
    bug: 'Whoever waits for a lease to end counts as little as its holder, on a clock that may be fast.',
    file: 'src/election/lease/db-lease.ts',
    oldText: 'wait: Math.ceil((leaseTicks * (MILLION + driftPpm)) / MILLION),',
    newText: 'wait: holderTicks({ leaseTicks, driftPpm }),',
    killedBy: 'db-lease: clocks at the edge',
  },
  {
    name: 'tenure-renewed-by-asking',
    bug: 'The lease that is held lasts for as long as the one that is asked for.',
    file: 'src/election/lease/tenure.ts',
    oldText: 'tenure.asked = tenure.held === 0 ? 1 : 0;',
    newText: 'tenure.asked = tenure.held ?? 0;',
    killedBy: 'db-lease: cut-off holders',
  },
  {
    name: 'lease-local-renewal-assumed',
    bug: 'A renewal counts before the service has confirmed it.',
    file: 'src/election/lease/lease-local.ts',
    oldText: "assumesRenewal: chosenFlag('renewal', renewal, flags) === 'assumed',",
    newText: 'assumesRenewal: true,',
    killedBy: 'lease-local: cut-off holders',
  },
  {
    name: 'lease-local-from-answer',
    bug: 'A lease runs from the moment at which the answer arrives.',
    file: 'src/election/lease/lease-local.ts',
    oldText: 'if (ways.countsFromAnswer) askTenure',
    newText: 'askTenure',
    killedBy: 'lease-local: slow answers',
  },
  {
    name: 'lease-local-no-drift',
    bug: 'A holder counts the whole lease on a clock that may be slow.',
    file: 'src/election/lease/lease-local.ts',
    oldText: 'hold: isCorrected ? holderTicks({ leaseTicks, driftPpm }) : leaseTicks,',
    newText: 'hold: leaseTicks,',
    killedBy: 'lease-local: clocks at the edge',
  },
  {
    name: 'service-releases-any',
    bug: 'A RELEASE of an earlier lease ends the present one of the same holder.',
    file: 'src/election/lease/lease-service.ts',
    oldText: `case 'RELEASE':
          if (state.holder === from && state.epoch === message.epoch) {`,
    newText: `case 'RELEASE':
          if (state.holder === from) {`,
    killedBy: 'lease service: a release that comes late',
  },
  {
    name: 'zk-line-by-name',
    bug: 'Who is ahead is told by whole names, which begin with guids.',
    file: 'src/election/lease/zk-line.ts',
    oldText: 'if (number >= sequence) continue;',
    newText: 'if (znode.name >= own.name) continue;',
    killedBy: 'zk-recipe: one leader',
  },
  {
    name: 'zk-session-outlived',
    bug: 'A leader leads on when its session may have expired.',
    file: 'src/election/lease/zk-recipe.ts',
    oldText: '  state.lease = 0;\n  suspend(context);\n',
    newText: "  state.lease = 0;\n  if (state.phase !== 'leading') suspend(context);\n",
    killedBy: 'zk-recipe: a leader that is cut off',
  },
  {
    name: 'zk-all-watch-the-first',
    bug: 'Everybody watches the first in line: a herd.',
    file: 'src/election/lease/zk-recipe.ts',
    oldText: "settings.herd === 'on' ? ahead.first.name : ahead.next.name",
    newText: 'ahead.first.name',
    killedBy: 'zk-recipe: who looks when the leader goes',
  },
  {
    name: 'zk-watch-not-renewed',
    bug: 'A ping does not renew the watch, whose event may be lost.',
    file: 'src/election/lease/zk-recipe.ts',
    oldText: "state.phase === 'watching' ? state.watched : null",
    newText: 'null',
    killedBy: 'zk-recipe: lost watch events',
  },
  {
    name: 'fence-not-raised-by-writes',
    bug: 'A write does not raise what the fence lets pass.',
    file: 'src/election/lease/resource.ts',
    oldText: "if (fence.kind === 'fencing-max') raise(state, from, epoch);",
    newText: '',
    killedBy: 'fencing-max: no write of a zombie',
  },
  {
    name: 'fence-not-raised-by-registration',
    bug: 'A registration does not raise what the fence lets pass.',
    file: 'src/election/lease/resource.ts',
    oldText: 'state.accepted += 1;\n  raise(state, from, epoch);\n',
    newText: 'state.accepted += 1;\n',
    killedBy: 'fencing-register: no write of a zombie',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];

/**
 * @module
 * What defences do without Byzantine nodes: `DEFENCE_RUNS` runs with crashes and returns for each defence and
 * each family of protocols that it fits, and a tenth of that for the others of the family, judged as without
 * it; and no node expelled, accused or passed over.
 */

import { describe, expect, it } from 'vitest';

import { DEFENCE_NAMES, DEFENCES } from '../../../src/election/defences/registry.ts';
import { PROPERTY_NAMES } from '../../../src/election/properties.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { faultRun } from '../../simulation/run/fault-runs.ts';
import type { Stage } from './staged.ts';
import { staged } from './staged.ts';

const RUNS = Number(process.env.DEFENCE_RUNS ?? 25);
/** Two terms of an incumbent at the longest latency. */
const UNTIL_TICKS = 20_000;

const GUARDS = DEFENCE_NAMES.filter((name) => DEFENCES[name].kind !== 'setting');

describe.each(GUARDS)('%s', (name) => {
  const fitting = PROTOCOL_NAMES.filter(
    (protocol) => DEFENCES[name].unsupportedReason(protocol) === null,
  );

  it.each(fitting)('keeps the properties of %s, and accuses no honest node', (protocol) => {
    const { family } = PROTOCOLS[protocol];
    const isFirst = fitting.find((each) => PROTOCOLS[each].family === family) === protocol;
    const numbers = Array.from({ length: isFirst ? RUNS : RUNS / 10 }, (_, index) => index + 1);

    const broken = numbers.filter((number) => {
      const { held } = propertiesOf(stageOf(number, protocol, []));
      const guarded = propertiesOf(stageOf(number, protocol, [name]));
      return held.some((property) => !guarded.held.includes(property)) || guarded.blames;
    });

    expect(broken).toEqual([]);
  });
});

function stageOf(number: number, protocol: ProtocolName, defences: Stage['defences']): Stage {
  const { seed, ...run } = faultRun(number, { protocol, heals: true });
  return { ...run, untilTicks: UNTIL_TICKS, seed, level: 'L3', defences };
}

function propertiesOf(stage: Stage) {
  const simulation = staged(stage);
  simulation.start();
  simulation.advance({ until: 'idle' });
  const { properties } = simulation.status().verdict;
  const ranks = Array.from({ length: stage.nodes }, (_, index) => index + 1);
  return {
    held: PROPERTY_NAMES.filter((name) => properties[name].value === 'true'),
    blames: ranks.some((rank) => BLAME.test(JSON.stringify(simulation.stateOf(rank)))),
  };
}

/** A list in a guard's state that names somebody, or a token that was dropped. */
const BLAME = /"(expelled|accused|skipped)":\[\d|"(dropped|refused|unheard|ignored)":[1-9]/;

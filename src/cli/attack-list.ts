/**
 * @module
 * `usurp attack --list`: what adversaries can do and what can be done about it, and which protocols each is
 * for.
 */

import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../adversary/behaviours/registry.ts';
import { DEFENCE_NAMES, DEFENCES } from '../election/defences/registry.ts';
import type { AlgorithmName } from '../election/registry.ts';
import { ALGORITHM_NAMES } from '../election/registry.ts';
import { NETWORK_DEFENCE_NAMES, NETWORK_DEFENCES } from '../experiment/attack-defences.ts';
import { columns } from './layout.ts';

/** Everything, or what fits one protocol. */
export function attackListText(algorithm: AlgorithmName | undefined, isJson: boolean): string {
  const only = algorithm === undefined ? ALGORITHM_NAMES : [algorithm];
  const isListed = ({ fits }: { readonly fits: readonly string[] }) => fits.length > 0;
  const behaviours = BEHAVIOUR_NAMES.map((name) => {
    const { attack, aim, needsTopId, summary, misfit } = BEHAVIOURS[name];
    const fits = only.filter((each) => misfit(each) === null);
    return { name, attack, goal: aim, forge: needsTopId ? 'top' : 'none', summary, fits };
  }).filter(isListed);
  const ofNodes = DEFENCE_NAMES.map((name) => {
    const { code, needsLevel, summary, misfit } = DEFENCES[name];
    return { name, code, needsLevel, summary, fits: only.filter((each) => misfit(each) === null) };
  });
  const ofNetwork = NETWORK_DEFENCE_NAMES.map((name) => {
    return { name, ...NETWORK_DEFENCES[name], needsLevel: null, fits: only };
  });
  const defences = [...ofNodes, ...ofNetwork].filter(isListed);
  if (isJson) return `${JSON.stringify({ behaviours, defences })}\n`;
  const fitsText = (fits: readonly string[]) =>
    fits.length === ALGORITHM_NAMES.length ? 'every protocol' : fits.join(', ');
  return [
    columns([
      ['behaviour', 'attack', 'goal', 'forges', 'what it does'],
      ...behaviours.map(({ name, attack, goal, forge, summary }) => [
        ...[name, attack, goal, forge, summary],
      ]),
    ]),
    columns([
      ['defence', 'code', 'level', 'what it stops and costs'],
      ...defences.map(({ name, code, needsLevel, summary }) => [
        ...[name, code, needsLevel ?? 'any', summary],
      ]),
    ]),
    ...(algorithm === undefined
      ? [
          columns([
            ['', 'fits'],
            ...[...behaviours, ...defences].map(({ name, fits }) => [name, fitsText(fits)]),
          ]),
        ]
      : []),
  ].join('\n');
}

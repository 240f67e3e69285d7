/**
 * @module
 * The behaviours and defences of the registries, with the protocols that they fit, as lists show them.
 */

import { forgesTopId } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES, DEFENCES } from '../../election/defences/registry.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { AttackDefence } from '../document/defence-names.ts';
import { NETWORK_DEFENCE_NAMES, NETWORK_DEFENCES } from '../document/defence-names.ts';
import { whenItFits } from '../staging/defences.ts';

/** The behaviours that fit one of these protocols. `forge` is what an adversary forges for them. */
export function listedBehaviours(only: readonly ProtocolName[]) {
  return BEHAVIOUR_NAMES.map((name) => {
    const behaviour = BEHAVIOURS[name];
    const { attack, aim, summary } = behaviour;
    const fits = only.filter((each) => behaviour.unsupportedReason(each) === null);
    const isForged = fits.some((each) => forgesTopId(behaviour, each));
    const forge = isForged ? ('top' as const) : ('none' as const);
    return { name, attack, aim, forge, summary, fits };
  }).filter(isListed);
}

/** The defences that fit one of these protocols: of nodes, then of the network. */
export function listedDefences(only: readonly ProtocolName[]) {
  const ofNodes = DEFENCE_NAMES.map((name) => {
    const { code, needsLevel, summary } = DEFENCES[name];
    return { name, code, needsLevel, summary, ...fitsOf(name, only), limits: limitsOf(name, only) };
  });
  const ofNetwork = NETWORK_DEFENCE_NAMES.map((name) => {
    const { code, summary } = NETWORK_DEFENCES[name];
    return { name, code, needsLevel: null, summary, ...fitsOf(name, only), limits: [] };
  });
  return [...ofNodes, ...ofNetwork].filter(isListed);
}

function isListed({ fits }: { readonly fits: readonly string[] }): boolean {
  return fits.length > 0;
}

/** `forgedOnly` are the protocols of `fits` on which the defence has an effect only against forged identities. */
function fitsOf(name: AttackDefence, only: readonly ProtocolName[]) {
  return {
    fits: only.filter((each) => whenItFits(name, each) !== 'never'),
    forgedOnly: only.filter((each) => whenItFits(name, each) === 'forging'),
  };
}

/** The protocols on which a part of its effect is missing, by what is missing. */
function limitsOf(name: DefenceName, only: readonly ProtocolName[]) {
  const { limit, unsupportedReason } = DEFENCES[name];
  const fitting = only.filter((each) => unsupportedReason(each) === null);
  const groups = Map.groupBy(fitting, limit);
  return [...groups].flatMap(([text, protocols]) =>
    text === null ? [] : [{ protocols, limit: text }],
  );
}

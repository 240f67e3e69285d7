/**
 * @module
 * The protocols of a model that have one outcome in each run, one list for each outcome. Each protocol has its
 * own, so that a resistant protocol does not hide a broken one. They share it if the document expects the
 * property of all together, and if the owner of the highest rank decides alone. Runs without elections have
 * one outcome without a protocol.
 */

import type { ProtocolName } from '../../election/registry.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { armsOf, runKindOf } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';

/** Protocols that share an outcome. Empty without elections. */
export type ProtocolGroup = readonly ProtocolName[];

/** One group for each outcome of a run, in the order of the document's protocols. At least one. */
export function protocolGroupsOf(model: ThreatModel): readonly ProtocolGroup[] {
  const arms = armsOf(model);
  if (arms.length > 1) {
    if (model.expect.protocols === 'together') return [model.network.election.protocols];
    const groups = arms.flatMap((arm) => protocolGroupsOf(arm.model));
    return model.network.election.protocols.flatMap((protocol) =>
      groups.filter(([first]) => first === protocol),
    );
  }
  const { expect, network, work } = model;
  const { protocols } = network.election;
  const kind = runKindOf(model);
  switch (kind) {
    case 'capture':
    case 'epochs':
      return [[]];
    case 'ranking': {
      const isByRank = work === 'sampled' && PROPERTIES[expect.property].judges.top !== null;
      return isByRank ? [protocols] : separate(model);
    }
    case 'watched':
      return separate(model);
    default:
      return kind satisfies never;
  }
}

function separate({ expect, network }: ThreatModel): readonly ProtocolGroup[] {
  const { protocols } = network.election;
  return expect.protocols === 'together' ? [protocols] : protocols.map((name) => [name]);
}

/** The items of each group's protocols. */
export function grouped<Item extends { readonly protocol: ProtocolName }>(
  groups: readonly ProtocolGroup[],
  items: readonly Item[],
): readonly (readonly Item[])[] {
  return groups.map((group) => items.filter(({ protocol }) => group.includes(protocol)));
}

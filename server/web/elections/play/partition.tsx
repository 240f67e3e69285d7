/**
 * @module
 * A partition in the views of elections and of live nodes: its sides are chosen node by node, and are in the address.
 */

import type { ComponentChildren } from 'preact';

import { keepInAddress } from '../../shell/router.ts';

interface SideToggleProps {
  readonly node: number;
  readonly side: readonly number[];
}

/** Puts a node on the side of the next partition, or takes it away. */
export function SideToggle({ node, side }: SideToggleProps) {
  const isApart = side.includes(node);
  const toggle = () => {
    const changed = isApart ? side.filter((each) => each !== node) : [...side, node];
    keepInAddress({ side: changed.join('-') });
  };
  return (
    <button type="button" aria-pressed={isApart} onClick={toggle}>
      {isApart ? 'Do not separate' : 'Separate it'}
    </button>
  );
}

interface PartitionProps {
  /** All nodes. */
  readonly nodes: readonly number[];
  readonly side: readonly number[];
  /** Shown while no node is chosen. */
  readonly hint: string;
  readonly canHeal: boolean;
  /** Separates the nodes of the side from all others. Resolves to whether it was done. */
  readonly onSeparate: (side: readonly number[]) => Promise<boolean>;
  readonly onHeal: () => void;
  /** Other partitions. */
  readonly children?: ComponentChildren;
}

export function Partition(props: PartitionProps) {
  const { nodes, side, hint, canHeal, onSeparate, onHeal, children } = props;
  const present = side.filter((node) => nodes.includes(node));
  const isPossible = present.length > 0 && present.length < nodes.length;
  const separate = async () => {
    if (await onSeparate(present)) keepInAddress({ side: null });
  };
  return (
    <div class="partition">
      <h3>Partition</h3>
      <p class="hint">
        {present.length === 0
          ? hint
          : `${present.length === 1 ? 'Node' : 'Nodes'} ${present.join(', ')} on one side, all others on the other.`}
      </p>
      <div class="controls">
        <button type="button" disabled={!isPossible} onClick={() => void separate()}>
          Separate them
        </button>
        {children}
        <button type="button" disabled={!canHeal} onClick={onHeal}>
          Heal
        </button>
      </div>
    </div>
  );
}

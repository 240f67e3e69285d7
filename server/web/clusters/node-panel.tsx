/**
 * @module
 * The chosen node of a cluster: its state, and the actions on its process. A partition is also made here, because its sides
 * are chosen node by node.
 */

import { keepInAddress } from '../shell/router.ts';
import { nodeSentence, sidesText } from './cluster-text.ts';
import type { Cluster, ClusterWatch } from './watch.ts';

interface NodePanelProps {
  readonly watch: ClusterWatch;
  readonly cluster: Cluster;
  readonly chosen: number | null;
  readonly side: readonly number[];
}

export function NodePanel(props: NodePanelProps) {
  const { cluster, chosen } = props;
  const node = cluster.nodes.find((each) => each.node === chosen);
  const isOpen = cluster.status === 'running';
  return (
    <section class="node-panel panel" aria-labelledby="node-title">
      <h2 id="node-title">{node === undefined ? 'Nodes' : `Node ${node.node}`}</h2>
      {node === undefined ? (
        <p class="hint">Choose a node in the picture.</p>
      ) : (
        <>
          <p class="node-facts">{nodeSentence(node)}</p>
          {isOpen ? <NodeActions {...{ ...props, node }} /> : null}
        </>
      )}
      {isOpen ? <Partition {...props} /> : null}
    </section>
  );
}

type ActionsProps = NodePanelProps & { readonly node: Cluster['nodes'][number] };

function NodeActions({ watch, node: { node, status }, side }: ActionsProps) {
  const isApart = side.includes(node);
  const toggle = () => {
    const changed = isApart ? side.filter((each) => each !== node) : [...side, node];
    keepInAddress({ side: changed.join('-') });
  };
  const act = (title: string, action: Parameters<typeof watch.act>[0]) => (
    <button type="button" disabled={watch.isBusy.value} onClick={() => void watch.act(action)}>
      {title}
    </button>
  );
  return (
    <div class="controls">
      {status === 'down' ? (
        <>
          {act('Start', { type: 'start', node, amnesia: false })}
          {act('Start with amnesia', { type: 'start', node, amnesia: true })}
        </>
      ) : (
        act('Kill', { type: 'kill', node })
      )}
      {status === 'up' ? act('Pause', { type: 'pause', node }) : null}
      {status === 'paused' ? act('Resume', { type: 'resume', node }) : null}
      <button type="button" aria-pressed={isApart} onClick={toggle}>
        {isApart ? 'Do not separate' : 'Separate it'}
      </button>
    </div>
  );
}

function Partition({ watch, cluster: { nodes, sides }, side }: NodePanelProps) {
  const all = nodes.map(({ node }) => node);
  const present = side.filter((node) => all.includes(node));
  const isPossible = present.length > 0 && present.length < all.length;
  const separate = async () => {
    await watch.act({ type: 'partition', sides: [present] });
    keepInAddress({ side: null });
  };
  return (
    <div class="partition">
      <h3>Partition</h3>
      <p class="hint">
        {present.length > 0
          ? `Nodes ${present.join(', ')} on one side, all others on the other.`
          : sides.length > 0
            ? `The sides are ${sidesText(sides)}.`
            : 'Choose nodes and “Separate it”.'}
      </p>
      <div class="controls">
        <button type="button" disabled={!isPossible} onClick={() => void separate()}>
          Separate them
        </button>
        <button
          type="button"
          disabled={sides.length === 0}
          onClick={() => void watch.act({ type: 'heal' })}
        >
          Heal
        </button>
      </div>
    </div>
  );
}

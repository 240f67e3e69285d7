/**
 * @module
 * The chosen node of a cluster: its state, the actions on its process, and partitions.
 */

import { Partition, SideToggle } from '../elections/play/partition.tsx';
import { nodeSentence, sidesText } from './cluster-text.ts';
import type { Cluster, ClusterWatch } from './watch.ts';

interface NodePanelProps {
  readonly watch: ClusterWatch;
  readonly cluster: Cluster;
  readonly chosen: number | null;
  readonly side: readonly number[];
}

export function NodePanel(props: NodePanelProps) {
  const { watch, chosen, side } = props;
  const { nodes, sides, status } = props.cluster;
  const node = nodes.find((each) => each.node === chosen);
  const isOpen = status === 'running' && !watch.isEnding.value;
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
      {isOpen ? (
        <Partition
          nodes={nodes.map((each) => each.node)}
          side={side}
          hint={
            sides.length > 0
              ? `The sides are ${sidesText(sides)}.`
              : 'Choose nodes and “Separate it”.'
          }
          canHeal={sides.length > 0}
          onSeparate={(apart) => watch.act({ type: 'partition', sides: [[...apart]] })}
          onHeal={() => void watch.act({ type: 'heal' })}
        />
      ) : null}
    </section>
  );
}

type ActionsProps = NodePanelProps & { readonly node: Cluster['nodes'][number] };

function NodeActions({ watch, node: { node, status }, side }: ActionsProps) {
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
      <SideToggle node={node} side={side} />
    </div>
  );
}

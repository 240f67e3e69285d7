/**
 * @module
 * One world of a check: what each node does, which messages are under way, and what each property says of it.
 */

import type { Schema } from '../api/contract.ts';
import { TableHead } from '../parts/table-head.tsx';
import { Verdict } from '../parts/verdict.tsx';

export type World = Schema<'CheckedWorld'>;

export function WorldState({ world }: { readonly world: World }) {
  return (
    <div class="world">
      <Nodes world={world} />
      <Messages world={world} />
      <Properties world={world} />
    </div>
  );
}

function Nodes({ world: { nodes, partition, isOneWay } }: { readonly world: World }) {
  return (
    <section>
      <h3>Nodes</h3>
      <table>
        <TableHead columns={['Rank', 'Is', 'Follows', 'Timers']} numbers={['Rank']} />
        <tbody>
          {nodes.map(({ rank, up, isPaused, leader, timers }) => (
            <tr key={rank}>
              <td class="number">{rank}</td>
              <td>{up ? (isPaused ? 'paused' : leader === rank ? 'leading' : 'up') : 'down'}</td>
              <td>{leader === null ? 'no leader' : leader === rank ? 'itself' : leader}</td>
              <td>{timers.length === 0 ? 'none' : timers.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {partition === null ? null : (
        <p>
          A partition divides the nodes:{' '}
          {partition.map((side) => side.join(', ')).join(isOneWay ? ' → ' : ' | ')}.
        </p>
      )}
    </section>
  );
}

function Messages({ world: { inFlight } }: { readonly world: World }) {
  return (
    <section>
      <h3>Messages under way</h3>
      {inFlight.length === 0 ? <p>None.</p> : null}
      <ul class="messages">
        {inFlight.map(({ from, to, message }, index) => (
          <li key={index}>
            {from} → {to} <code>{message.type}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Properties({ world: { properties } }: { readonly world: World }) {
  return (
    <section>
      <h3>Properties of this world</h3>
      <ul class="properties">
        {properties.map(({ name, kind, description, holds, breach }) => (
          <li key={name}>
            <Verdict
              // Only an always property that a world breaks is violated by this world alone.
              value={holds ? 'true' : kind === 'always' ? 'false' : 'unknown'}
              word={holds ? 'yes' : kind === 'always' ? 'violated' : 'not here'}
            >
              <strong>{name}</strong> ({kind}): {description}
              {breach === null ? '' : `; here ${breach}`}
            </Verdict>
          </li>
        ))}
      </ul>
    </section>
  );
}

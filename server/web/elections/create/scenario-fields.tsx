/**
 * @module
 * The fields about scenarios: which one, which of its runs, and what to expect of it. A scenario decides everything
 * else except the number of nodes and the seed.
 */

import type { FieldsProps } from './fields.tsx';
import { MemberText } from './fields.tsx';

/** The choice of a scenario, or of none. */
export function ScenarioChoice({ draft, catalogue, change }: FieldsProps) {
  const choose = (name: string) => {
    const usual = catalogue.scenarios.find((each) => each.name === name)?.nodes.usual;
    change({ scenario: name, run: '', ...(usual === undefined ? {} : { nodes: String(usual) }) });
  };
  return (
    <div class="controls">
      <label>
        Scenario
        <select value={draft.scenario} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">none: choose everything below</option>
          {catalogue.scenarios.map(({ name, title }) => (
            <option key={name} value={name}>
              {name}: {title}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** The fields that a scenario leaves open, and its explanation. */
export function ScenarioFields(props: FieldsProps) {
  const { draft, catalogue, change } = props;
  const scenario = catalogue.scenarios.find(({ name }) => name === draft.scenario);
  if (scenario === undefined) return <p class="hint">The server has no such scenario.</p>;
  const { runs, nodes, explanation, expected, source } = scenario;
  return (
    <>
      <div class="controls">
        {runs.length === 1 ? null : (
          <label>
            Run
            <select
              value={draft.run === '' ? runs[0] : draft.run}
              onChange={(event) => change({ run: event.currentTarget.value })}
            >
              {runs.map((run) => (
                <option key={run}>{run}</option>
              ))}
            </select>
          </label>
        )}
        <MemberText
          label={`Nodes, ${nodes.min} to ${nodes.max}`}
          size={5}
          name="nodes"
          {...{ props }}
        />
        <MemberText label="Seed" size={9} name="seed" {...{ props }} />
      </div>
      <dl class="scenario-facts">
        <dt>Expected with {nodes.usual} nodes</dt>
        <dd>{expected}</dd>
        <dt>Why</dt>
        <dd>{explanation}</dd>
        <dt>Source</dt>
        <dd>{source}</dd>
      </dl>
    </>
  );
}

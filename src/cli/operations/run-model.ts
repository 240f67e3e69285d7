/**
 * @module
 * What `usurp run` does besides its operation: it lists the catalogue, and shows a model with its changes.
 */

import { stringify } from 'yaml';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { adversariesOf } from '../../experiment/document/threat-model.ts';
import { PROPERTIES } from '../../experiment/properties/registry.ts';
import { changed } from '../../operations/run/run.ts';
import { readCatalogue } from '../../runtime/files/catalogue.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import type { Besides } from './operation-command.ts';

/** What the verb has besides its operation. */
export const BESIDE_RUN: Besides<{ readonly show?: true }> = {
  list: {
    meaning: 'list the threat models of the catalogue',
    async text(_given, isJson) {
      const models = await readCatalogue();
      const listed = models.map(({ id, title, work, runs }) => ({ id, title, work, runs }));
      const rows = listed.map(({ id, title }) => [id, title]);
      return isJson ? `${JSON.stringify(listed)}\n` : columns(rows);
    },
  },
  flags(command) {
    command.option(
      '--show',
      'print the threat model in YAML after all changes, without running it',
    );
  },
  async instead(input, { show }, terminal) {
    if (show !== true) return null;
    // The schema of the operation made it.
    const { model } = changed(input as Parameters<typeof changed>[0]);
    terminal.print(`${stringify(model)}${openPartsText(model)}`);
    return EXIT.holds;
  },
};

/** Comments below a document: the aim and the parts of each response that it leaves open. */
function openPartsText(model: ThreatModel): string {
  const comments = adversariesOf(model).flatMap(([name, adversary]) => {
    const { aim = PROPERTIES[model.expect.property].aim } = adversary;
    const parts = ['goal', 'registers', 'behaviours'] as const;
    const open = parts.filter((part) => adversary[part] === undefined);
    const chosen = open.length === 0 ? 'fixed' : `best response for ${open.join(', ')}`;
    return `# adversaries.${name}: aim ${aim}; ${chosen}\n`;
  });
  return comments.join('');
}

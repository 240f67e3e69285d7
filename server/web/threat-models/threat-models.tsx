/**
 * @module
 * This folder contains the view of threat models: the catalogue, and one model that is edited as form and as YAML
 * and run.
 */

import './threat-models.css';

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { hrefOf } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { ViewProps } from '../shell/views.ts';
import { CatalogueList } from './catalogue.tsx';
import type { Catalogue } from './catalogue-data.ts';
import { loadCatalogue } from './catalogue-data.ts';
import { ModelPage } from './model-page.tsx';

export function View({ segments: [id], query }: ViewProps) {
  const catalogue = useSignal<Catalogue | null>(null);
  const error = useSignal<unknown>(null);
  useEffect(() => {
    loadCatalogue().then(
      (loaded) => {
        catalogue.value = loaded;
      },
      (refusal: unknown) => {
        if (!asksForSignIn(refusal)) error.value = refusal;
      },
    );
  }, []);
  if (catalogue.value === null) {
    return (
      <>
        <h1>Threat models</h1>
        <ErrorNotice error={error.value} />
        {error.value === null ? <p class="loading">Loading the catalogue…</p> : null}
      </>
    );
  }
  const { models, schema } = catalogue.value;
  if (id === undefined) return <CatalogueList models={models} query={query} />;
  const model = models.find((each) => each.id === id);
  if (model !== undefined) {
    return <ModelPage key={id} model={model} schema={schema} query={query} />;
  }
  return (
    <>
      <h1>Threat models</h1>
      <Notice kind="error">
        The catalogue has no model of this name.{' '}
        <a href={hrefOf(['threat-models'])}>Show the catalogue.</a>
      </Notice>
    </>
  );
}

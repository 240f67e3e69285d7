/**
 * @module
 * This folder contains the browser lab. This file shows it in the page.
 */

import './style/base.css';
import './style/parts.css';

import { render } from 'preact';

import { App } from './shell/app.tsx';

const root = document.getElementById('lab');
if (root !== null) render(<App />, root);

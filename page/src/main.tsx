import 'uplot/dist/uPlot.min.css';
import '../style/main.css';
import { render } from 'preact';
import { App, showInTitle } from './app/index.ts';
import { startSession } from './session/index.ts';

const place = document.getElementById('app');
if (place === null) throw new Error('index.html has no element "app"');
startSession();
showInTitle();
render(<App />, place);

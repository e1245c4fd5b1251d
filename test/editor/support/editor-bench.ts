import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { MessageRecorder, OBSERVER } from '../../helpers/examples/message-recorder.js';
import { createTestEnvironment, type TestEnvironment } from '../../helpers/examples/test-environment.js';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../../helpers/node-red-process.js';
import { Editor, startBrowser } from './editor.js';
import { installPackedPackage } from './packed-package.js';

const require = createRequire(path.resolve(process.env.NODE_RED_DIR ?? '.', 'package.json'));

/** The version of Node-RED that the tests run. */
export const NODE_RED_VERSION: string = require('node-red/package.json').version;

/** The prefix of the name of every screenshot: `nr` and the major version of Node-RED. */
export const EDITION = `nr${NODE_RED_VERSION.split('.')[0]}`;

/** A running Node-RED with the packed package, and its editor in a browser. */
export interface EditorBench {
  environment: TestEnvironment;
  userDir: string;
  nodeRed: NodeRedProcess;
  browser: Browser;
  /** The editor of this test, newly opened. */
  editor: Editor;
  /** The messages that the nodes receive. */
  messages: MessageRecorder;
}

/**
 * Registers hooks that start Node-RED and a browser before the first test and stop them after the last, and that open
 * the editor before each test and close it afterwards. `assign` receives the bench before each test. After a failed
 * test, the end of Node-RED's log is printed and a screenshot is saved. Node-RED gets the variables of the environment,
 * except those whose names match `withoutVariables`.
 */
export function registerEditorBench(
  assign: (bench: EditorBench) => void,
  { withoutVariables }: { withoutVariables?: RegExp } = {},
): void {
  let environment: TestEnvironment;
  let userDir: string;
  let nodeRed: NodeRedProcess;
  let browser: Browser;
  let editor: Editor;
  const messages = new MessageRecorder();

  before(async () => {
    // Packing builds `dist` again, from which the remote service of the environment runs.
    const installed = await installPackedPackage();
    environment = await createTestEnvironment();
    userDir = path.join(environment.home, 'user');
    await cp(installed, userDir, { recursive: true, verbatimSymlinks: true });
    const variables = Object.entries(environment.env).filter(([name]) => !withoutVariables?.test(name));
    nodeRed = await startNodeRedProcess(userDir, await findFreePort(), {
      env: Object.fromEntries(variables),
      preload: OBSERVER,
      onMessage: messages.record,
    });
    browser = await startBrowser();
  });

  beforeEach(async () => {
    editor = await Editor.open(browser, nodeRed.url);
    assign({ environment, userDir, nodeRed, browser, editor, messages });
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      console.error(nodeRed.log().split('\n').slice(-20).join('\n'));
      await editor.screenshot(`${EDITION}-failed-${this.currentTest.title.replace(/\W+/g, '-')}`);
    }
    await editor.close();
  });

  after(async () => {
    await browser?.close();
    await nodeRed?.stop();
    await environment?.stop();
  });
}

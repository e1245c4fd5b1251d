import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { isValidPassword, PASSWORD_LENGTH } from '../auth/account-rules.js';
import { StartError } from '../start-error.js';

/** The stream that a password is read from, and the one for the prompt. */
export interface PasswordStreams {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** Reads the first line without its line break. A terminal does not echo the input. */
function readLine({ input, output }: PasswordStreams, prompt: string): Promise<string> {
  return new Promise((resolve) => {
    const isTerminal = input.isTTY === true;
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input, output: silent, terminal: isTerminal });
    let line = '';
    if (isTerminal) output.write(prompt);
    reader.once('line', (text) => {
      line = text;
      reader.close();
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => {
      if (isTerminal) output.write('\n');
      resolve(line);
    });
  });
}

/**
 * Reads a password: from a terminal, with two prompts and without echo, or else from the first line of the input.
 * Throws `USAGE`.
 */
export async function readPassword(streams: PasswordStreams): Promise<string> {
  const password = await readLine(streams, 'Password: ');
  if (!isValidPassword(password)) {
    const message = `Invalid password: expected ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters, typed or as the first line of stdin.`;
    throw new StartError('USAGE', message);
  }
  if (streams.input.isTTY === true && (await readLine(streams, 'Repeat the password: ')) !== password) {
    throw new StartError('USAGE', 'Passwords do not match.');
  }
  return password;
}

import type { Page } from 'playwright-core';

/** A message of Node-RED to an editor. */
export interface CommsMessage {
  /** '' for a message that is not JSON, such as a binary one. */
  topic: string;
  /** The message as Node-RED sent it; base64 if it is binary. */
  text: string;
  /** When the browser received it, in seconds. */
  receivedAtS: number;
}

/**
 * Records the messages on the websockets that a page opens from now on. Node-RED sends several in one frame. Returns the
 * list to which they are added.
 */
export async function recordComms(page: Page): Promise<readonly CommsMessage[]> {
  const messages: CommsMessage[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Network.webSocketFrameReceived', ({ timestamp, response: { payloadData } }) => {
    for (const content of splitFrame(payloadData)) {
      const { topic = '' }: { topic?: string } = Object(content);
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      messages.push({ topic, text, receivedAtS: timestamp });
    }
  });
  await session.send('Network.enable');
  return messages;
}

function splitFrame(payload: string): unknown[] {
  try {
    const content: unknown = JSON.parse(payload);
    return Array.isArray(content) ? content : [content];
  } catch {
    return [payload];
  }
}

/** The first bytes of a PNG, a GLB as text and in base64; a file in a data URL; a Buffer. */
const FILE_CONTENT = /iVBOR|PNG\r|Z2xURg|glTF|data:|;base64|"Buffer"/;

/** More than any message without a picture or a mesh has, in characters. */
const MAX_LENGTH = 20_000;

/** Returns the messages that contain a picture or a mesh, or are so large that they may contain one. */
export function findFileContents(messages: readonly CommsMessage[]): CommsMessage[] {
  return messages.filter(({ text }) => FILE_CONTENT.test(text) || text.length > MAX_LENGTH);
}

/** Returns the messages about the model that a preview node shows. */
export function findAnnouncements(messages: readonly CommsMessage[], nodeId: string): CommsMessage[] {
  return messages.filter(({ topic }) => topic === `model-processing/models/${nodeId}`);
}

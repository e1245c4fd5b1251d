import should from 'should';
import { OPEN_API } from '../../src/service/http/openapi.js';
import { createDescription, type OpenApi } from './support/description.js';

// The suite validates every reply of our own service against /openapi.json. These tests validate invalid replies.
describe('createDescription', () => {
  const describe = createDescription(OPEN_API as unknown as OpenApi); // its type after a round trip as JSON
  const reply = (status: number, body: object) => ({
    status,
    headers: new Map([['content-type', 'application/json; charset=utf-8']]),
    body: JSON.stringify(body),
  });
  const health = { status: 'ok', instanceId: 'f17fe78c-8ac5-4c26-9519-0f79f9926681' };

  it('accepts a described reply, with a path in any case', () => {
    should(describe('GET', '/HealthZ?x=1', reply(200, health))).equal(undefined);
  });

  it('rejects a missing field, a field of the wrong type and an unknown field', () => {
    should(describe('GET', '/healthz', reply(200, { status: 'ok' }))).match(/instanceId/);
    should(describe('GET', '/healthz', reply(200, { ...health, instanceId: 7 }))).match(/instanceId/);
    should(describe('GET', '/healthz', reply(200, { ...health, more: 1 }))).match(/additional/);
  });

  it('rejects a status that is not described, and an error without entries', () => {
    should(describe('GET', '/healthz', reply(201, health))).match(/not described/);
    should(describe('GET', '/healthz', reply(503, { errors: [] }))).match(/errors/);
    should(describe('GET', '/nowhere', reply(200, health))).match(/not described/);
  });
});

import should from 'should';
import { OPEN_API } from '../../src/service/http/openapi.js';
import { createDescription, type OpenApi } from './support/description.js';

// The suite holds every reply of our own service against /openapi.json: these are replies that it must find fault with.
describe('the description of the service', () => {
  const describe = createDescription(OPEN_API as unknown as OpenApi); // what it is once it went over the wire as JSON
  const reply = (status: number, body: object) => ({
    status,
    headers: new Map([['content-type', 'application/json; charset=utf-8']]),
    body: JSON.stringify(body),
  });
  const health = { status: 'ok', instanceId: 'f17fe78c-8ac5-4c26-9519-0f79f9926681' };

  it('finds no fault with what is described, in any case', () => {
    should(describe('GET', '/HealthZ?x=1', reply(200, health))).equal(undefined);
  });

  it('finds a field that is missing, one of the wrong type, and one that it does not know', () => {
    should(describe('GET', '/healthz', reply(200, { status: 'ok' }))).match(/instanceId/);
    should(describe('GET', '/healthz', reply(200, { ...health, instanceId: 7 }))).match(/instanceId/);
    should(describe('GET', '/healthz', reply(200, { ...health, more: 1 }))).match(/additional/);
  });

  it('finds a status that is not described, and an error without entries', () => {
    should(describe('GET', '/healthz', reply(201, health))).match(/not described/);
    should(describe('GET', '/healthz', reply(503, { errors: [] }))).match(/errors/);
    should(describe('GET', '/nowhere', reply(200, health))).match(/not described/);
  });
});

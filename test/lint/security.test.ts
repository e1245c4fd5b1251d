import { existsSync, readFileSync } from 'node:fs';
import should from 'should';
import { MAX_CORNERS_PER_COPY } from '../../src/mesh/formats/gltf/reorder-mesh.js';
import * as intersections from '../../src/mesh/intersections/find-intersections.js';
import { MAX_VISITS_PER_TRIANGLE } from '../../src/mesh/preview/simplify-surface.js';
import * as reduction from '../../src/mesh/reduce/reduce-triangles.js';
import * as sampling from '../../src/mesh/rendering/sampling.js';
import { RAY_TESTS_PER_TRIANGLE } from '../../src/mesh/repair/orient.js';
import { RAY_WORK_SHARE } from '../../src/mesh/repair/orient-shells.js';
import { createContext } from '../../src/mesh/repair/step.js';
import * as band from '../../src/mesh/shrinkwrap/limit-source.js';
import * as wrap from '../../src/mesh/shrinkwrap/shrinkwrap.js';
import * as walls from '../../src/mesh/thickness/analyze-walls.js';
import { DISK_QUOTA, JOB_MEMORY, LIMITS } from '../../src/service/defaults.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const GIB = 1024 ** 3;
const MILLION = 1e6;

/** Begin of a row or a sentence → what it must contain. */
const STATED: readonly [start: string, ...parts: string[]][] = [
  ['| operations that wait', `${LIMITS.maxQueuedPerUser}, of ${LIMITS.maxQueued}`],
  ['| time of an operation', `${LIMITS.operationTimeoutMs / MINUTE} minutes`],
  ['| time of the workers', `for ${LIMITS.minRunMs / SECOND} s, `, `every ${LIMITS.suspensionCheckMs / SECOND} s`],
  ['| time of the workers', `at most ${LIMITS.operationTimeoutMs / MINUTE} minutes`],
  ['| memory of an operation', `${JOB_MEMORY.maxBytes / GIB} GiB`, `${JOB_MEMORY.fraction * 100} %`],
  ['| crashes by', `${LIMITS.maxAttempts} attempts`, `after ${LIMITS.maxSharedAttempts} `],
  ['| work of a preview', `${MAX_VISITS_PER_TRIANGLE} visits`, `${MAX_CORNERS_PER_COPY} corners`],
  [
    '| work of a picture',
    `${sampling.MAX_WORK / MILLION} million samples`,
    `${sampling.MAX_WORK_PER_SAMPLE} per sample of the picture`,
  ],
  [
    '| work of a wall thickness',
    `${walls.VISITS_PER_TRIANGLE} visits per triangle`,
    `${walls.ADDED_VISITS / MILLION} million in addition`,
  ],
  [
    '| work of a reduction',
    `${reduction.MAX_VISITS_PER_TRIANGLE} visits`,
    `${reduction.MIN_VISIT_LIMIT / MILLION} million if`,
  ],
  [
    '| work of a shrinkwrap',
    `${band.MAX_VISITS_PER_TRIANGLE} visits of corners`,
    `${band.MIN_VISIT_LIMIT / MILLION} million if`,
  ],
  [
    '| work of a shrinkwrap',
    `${wrap.MAX_VISITS_PER_TRIANGLE} visits of nodes`,
    `or ${wrap.MIN_VISIT_LIMIT / MILLION} million |`,
  ],
  [
    '| work of a check',
    `${intersections.MAX_PAIRS_PER_TRIANGLE} pairs of triangles per`,
    `or ${intersections.MIN_PAIR_BUDGET / MILLION} million if`,
    `${intersections.MAX_VERTEX_VISITS} visits of vertices`,
  ],
  [
    '| work of the rays',
    `${RAY_TESTS_PER_TRIANGLE} triangles per triangle`,
    `or ${createContext(1).budget.minRayTests / MILLION} million if`,
    `${RAY_WORK_SHARE * 100} % of that`,
  ],
  ['| stored files', `${DISK_QUOTA.fraction * 100} %`, `${DISK_QUOTA.maxBytes / GIB} GiB`],
  ['| size of an upload', `${LIMITS.uploadBytes / GIB} GiB`],
  ['| connections', `${LIMITS.maxConnections} in all`, `${LIMITS.headersTimeoutMs / SECOND} s for headers`],
  [
    '| connections',
    `${LIMITS.bodyTimeoutMs / SECOND} s for a body`,
    `${LIMITS.idleTimeoutMs / MINUTE} minutes without`,
  ],
  ['| uploads at a time', `| ${LIMITS.maxUploadsPerUser} |`],
  ['| waiting requests', `| ${LIMITS.maxWaitsPerUser}, `],
  ['| HTML reports', `| ${LIMITS.maxReportsPerUser}; `],
  [
    '| wrong passwords',
    `| ${LIMITS.freeLogins}, `,
    `${LIMITS.loginDelayMs / SECOND} to ${LIMITS.maxLoginDelayMs / SECOND} s`,
  ],
  ['| attempts to log in', `| ${LIMITS.maxWaitingLoginsPerNetwork} of a network, ${LIMITS.maxWaitingLogins} in all`],
  ['| cookie of a browser', `${LIMITS.deviceMs / (24 * HOUR)} days, ${LIMITS.maxDevicesPerUser} of each user`],
  ['| attempts of a callback', `${LIMITS.callbackTimeoutMs / SECOND} s each`],
  ['| callbacks that', `| ${LIMITS.maxConcurrentCallbacksPerUser}, of ${LIMITS.maxConcurrentCallbacks} in all`],
  ['| access token', `${LIMITS.accessTokenMs / MINUTE} minutes`],
  ['| refresh token', `${LIMITS.refreshTokenMs / (24 * HOUR)} days`],
  ['| session of the page', `${LIMITS.sessionMs / HOUR} hours`, `${LIMITS.maxSessionMs / (24 * HOUR)} days in all`],
  ['| sign-in link', `${LIMITS.signInCodeMs / MINUTE} minutes`],
];

describe('SECURITY.md', () => {
  const lines = readFileSync('SECURITY.md', 'utf8').split('\n');

  it('names only tests that exist, and one in each row of a limit or a secret', () => {
    const paths = [...lines.join('\n').matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    should(paths.length).be.above(30);
    paths.filter((path) => !existsSync(path)).should.be.empty();
    const from = lines.indexOf('## What one user may cost others');
    const rows = lines.slice(from).filter((line) => line.startsWith('| ') && !line.endsWith('| test |'));
    rows.filter((line) => !line.includes('`test/')).should.be.empty();
  });

  for (const [start, ...parts] of STATED) {
    it(`states the limit of the program: ${start.slice(2)}, ${parts.join(', ')}`, () => {
      const line = lines.find((each) => each.startsWith(start)) ?? '';
      for (const part of parts) line.should.containEql(part);
    });
  }
});

/**
 * The benches, each a program `bench/NAME.ts`. `npm run bench -- NAME` runs one; a test compares the table of
 * CONTRIBUTING.md with this one.
 *
 * @type {readonly { name: string; args?: string; measures: string; needs: string }[]}
 */
export const BENCHES = [
  {
    name: 'kernel',
    args: 'DIR',
    measures:
      'the repair of every model of a folder, by this package and by `admesh` and `prusa-slicer --repair`: whether the result is solid (checked with CGAL), whether it is preserved (volume as in a `truth.json` beside the models), time and memory; also the speed of reading, repairing and writing a million triangles. `--speed` skips the models, `--large` adds ten million triangles, `--threads` measures only two threads compared with one',
    needs:
      "`g++`, Debian's `libcgal-dev`; for the rows of other tools `admesh`, `prusa-slicer`, `assimp-utils`, `lib3mf-dev`, `time`",
  },
  {
    name: 'outputs',
    args: 'DIR --compare bench/results/outputs.json',
    measures:
      'whether every repair, export, reduction, hollowing, shrinkwrap and thumbnail of the models of a folder has the recorded bytes; `--record FILE` records them',
    needs: 'the recorded models, five minutes',
  },
  {
    name: 'bounded',
    args: 'DIR',
    measures:
      'the longest repair with an export, of the models of a folder and of models whose triangles are all in one place. `--damaged N` adds damaged copies',
    needs: '',
  },
  {
    name: 'extremes',
    measures:
      'every operation and every export of models with 100,000 triangles at one vertex, edge or place: processor time. `--only NAME` selects models',
    needs: 'an hour',
  },
  {
    name: 'fields',
    args: 'DIR...',
    measures:
      'hollowing, shrinkwrap and wall thickness of the models of folders. `--only TEXT` selects models, `--record FILE` saves the figures',
    needs: '',
  },
  {
    name: 'combined-damage',
    args: '--pairs',
    measures:
      'repairs of solids with two or three kinds of damage, compared with the solids. `--near` and `--triples COUNT` select other sets',
    needs: '',
  },
  {
    name: 'reduction',
    args: 'DIR...',
    measures:
      '`reduce-triangles` at 0.1 % of the diagonal, compared with meshoptimizer at an equal measured distance: triangles and processor time',
    needs: '',
  },
  {
    name: 'slicer',
    args: 'DIR...',
    measures:
      'repairs and hollowings of the models of the bench `fields`, compared with those of PrusaSlicer: time, level and volume. `--runs 1` measures each once',
    needs: "Linux, Debian's `prusa-slicer`, `time`, `g++` and `libcgal-dev`, half an hour",
  },
  {
    name: 'stl',
    measures: 'reading, welding and writing a million triangles, compared with `admesh`',
    needs: "Debian's `admesh`",
  },
  {
    name: 'nodes',
    measures:
      'the nodes in Node-RED: transfers compared with `curl` and flows of core nodes, many messages at once, tokens',
    needs: 'Linux, `curl`, 12 GB of disk, 6 GB of memory',
  },
  {
    name: 'waits',
    measures:
      'waits in a real Node-RED: 10,000 waits at one service node; polls and delay of 100 operations without callbacks, with callbacks, and with one in ten lost',
    needs: 'Linux, ten minutes',
  },
  {
    name: 'service',
    measures:
      'the local service: transfers compared with nginx, polls while jobs run, token grants, small jobs, the memory of many HTML reports, start and memory',
    needs: "Linux, `curl`, Debian's `nginx-light` and `wrk`, 5 GB of disk",
  },
  {
    name: 'scale',
    measures:
      'the service on many machines, compared with that on one: jobs by several workers, starts, polls by several API processes, faults, fairness, and the service on one machine compared with that before. `polls starts` measures these alone; the head of `bench/scale.ts` lists all',
    needs:
      "Linux, Debian's `postgresql`, `swift`, `swift-proxy`, `swift-account`, `swift-container`, `swift-object`, `memcached`, `haproxy` and `wrk`, 5 GB of disk, half an hour",
  },
  {
    name: 'viewer',
    measures:
      "the viewer in Chromium without a GPU: its size, the first frame, moving frames, the decoder and HTML reports, compared with three's loader and renderer. `memory` measures only how much the memory of Node-RED and of an open editor grows over 1,000 messages, and what Node-RED sends to the editor",
    needs: '',
  },
  {
    name: 'web',
    measures:
      'the page of the service in Chromium: its size, the time until it can be used, drop to verdict compared with curl, scrolling 1,000 models, and start and memory of a service with and without it. `verdict list` measures these alone; the head of `bench/web.ts` lists all',
    needs: 'Linux, `curl`',
  },
  {
    name: 'preview',
    measures:
      "previews: their size compared with an export to GLB, and the time for a million triangles compared with meshoptimizer's simplification alone",
    needs: '',
  },
  {
    name: 'upload',
    measures: 'a 1 GB upload: time, and the peak memory of client and service, compared with `curl`',
    needs: 'Linux, `curl`',
  },
  {
    name: 's3-upload',
    measures: 'a 1 GB upload to object storage, compared with `@aws-sdk/lib-storage`: time and memory',
    needs:
      "Linux, Debian's `postgresql`, `swift`, `swift-proxy`, `swift-account`, `swift-container`, `swift-object` and `memcached`",
  },
  {
    name: 'index-builds',
    measures: 'how often a repair builds the connectivity and the BVH of a model',
    needs: '',
  },
  {
    name: 'deviation',
    args: 'DIR',
    measures:
      'how far each repaired model of a folder deviates from its input: bounds, and area away from the input surface',
    needs: '',
  },
];

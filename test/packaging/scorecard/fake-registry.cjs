// Loaded before node-red-dev (`node --require`), which requests a catalog and a registry on the network. This redirects
// those requests to the fake registry of the test, at REGISTRY.
const axios = require(require.resolve('axios', { paths: [process.argv[1]] }));

const get = axios.get.bind(axios);
axios.get = (url, ...rest) => get(`${process.env.REGISTRY}${new URL(url).pathname}`, ...rest);

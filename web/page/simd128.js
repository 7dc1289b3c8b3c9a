// Kernels for the Go program: functions that work on vectors in its memory, which Go cannot
// be compiled to. The program asks first whether they are available.

// instantiate is WebAssembly.instantiate for the module of the program, which gets the
// functions of another module: the custom section simd128, if not given otherwise. In
// browsers without vectors, or without that module, they are not available.
export async function instantiate(program, imports, kernels = WebAssembly.Module.customSections(program, "simd128")[0]) {
  let functions = {available: () => 0};
  const simd128 = {};
  for (const {module, name} of WebAssembly.Module.imports(program)) {
    if (module === "simd128") {
      simd128[name] = (argument) => functions[name](argument);
    }
  }
  const instance = await WebAssembly.instantiate(program, {...imports, simd128});
  if (kernels && WebAssembly.validate(kernels)) {
    const {instance: {exports}} = await WebAssembly.instantiate(kernels, {go: {mem: instance.exports.mem}});
    functions = {...exports, available: () => 1};
  }
  return instance;
}

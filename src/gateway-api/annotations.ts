/** Of a Pod: which ports of its InferencePools serve, `8000,8001`. Missing: all. Source: Gateway API Inference Extension. */
export const activePortsAnnotation = 'inference.networking.k8s.io/active-ports';

/** Our own, of an InferencePool: how its endpoint picker is asked, see pickerModes. */
export const pickerModeAnnotation = 'gatewright.dev/endpoint-picker-mode';

/** Our own, of a Service with endpoint pickers: `Disabled` where they speak plain text. */
export const pickerTlsAnnotation = 'gatewright.dev/endpoint-picker-tls';

/** Our own, of an object that closes the targets of one that its file has wrong, as these would be open without it: what is wrong. */
export const closerAnnotation = 'gatewright.dev/closes-for';

;; A module of the Proxy-Wasm ABI 0.2.1, written by hand: requests whose header x-tenant is missing are answered 400, and answers
;; to all others have a header x-tenant-of, with what the policy configures. SDKs make such modules of Rust, Go, C++ or AssemblyScript.
;;
;; `npx wat2wasm examples/wasm/module/tenants.wat -o tenants.wasm` (npm package `wabt`) makes the bytes that ../module.yaml has.
(module
  (import "env" "proxy_get_header_map_value"
    (func $get_header (param $map i32) (param $name i32) (param $name_length i32) (param $value i32) (param $value_length i32) (result i32)))
  (import "env" "proxy_add_header_map_value"
    (func $add_header (param $map i32) (param $name i32) (param $name_length i32) (param $value i32) (param $value_length i32) (result i32)))
  (import "env" "proxy_get_buffer_bytes"
    (func $get_buffer (param $buffer i32) (param $start i32) (param $most i32) (param $bytes i32) (param $length i32) (result i32)))
  (import "env" "proxy_send_local_response"
    (func $answer (param $status i32) (param $details i32) (param $details_length i32) (param $body i32) (param $body_length i32)
      (param $headers i32) (param $headers_length i32) (param $grpc_status i32) (result i32)))

  (memory (export "memory") 1)
  (data (i32.const 256) "x-tenant")
  (data (i32.const 272) "x-tenant-of")
  (data (i32.const 288) "x-tenant is missing\n")

  ;; Where the configuration is, and its length. Proxies put it there before the first request.
  (global $configuration (mut i32) (i32.const 0))
  (global $configuration_length (mut i32) (i32.const 0))

  ;; Proxies hand over texts in memory that they ask for here. Nothing is kept but the configuration, so that after it the same
  ;; half of the page is used again and again.
  (global $free (mut i32) (i32.const 1024))
  (global $kept (mut i32) (i32.const 1024))
  (func (export "proxy_on_memory_allocate") (param $size i32) (result i32)
    (local $at i32)
    ;; What does not fit behind the others takes their place; what fits nowhere has the module end, and its request with it.
    (if (i32.gt_u (local.get $size) (i32.const 16384)) (then (unreachable)))
    (if (i32.gt_u (i32.add (global.get $free) (local.get $size)) (i32.const 65536))
      (then (global.set $free (global.get $kept))))
    (local.set $at (global.get $free))
    (global.set $free (i32.add (global.get $free) (local.get $size)))
    (local.get $at))

  (func (export "proxy_abi_version_0_2_1"))
  (func (export "proxy_on_vm_start") (param i32 i32) (result i32) (i32.const 1))
  (func (export "proxy_on_context_create") (param i32 i32))

  ;; Buffer 7 is the configuration, as JSON.
  (func (export "proxy_on_configure") (param $context i32) (param $size i32) (result i32)
    (if (i32.or (i32.lt_u (local.get $size) (i32.const 1)) (i32.gt_u (local.get $size) (i32.const 1024)))
      (then (return (i32.const 0))))
    (if (call $get_buffer (i32.const 7) (i32.const 0) (local.get $size) (i32.const 0) (i32.const 4))
      (then (return (i32.const 0))))
    (global.set $configuration (i32.load (i32.const 0)))
    (global.set $configuration_length (i32.load (i32.const 4)))
    (global.set $kept (global.get $free))
    (i32.const 1))

  ;; Map 0 has the request's headers. 0 goes on, 1 waits: after an answer of its own there is nothing to go on with.
  (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32)
    (if (i32.eqz (call $get_header (i32.const 0) (i32.const 256) (i32.const 8) (i32.const 0) (i32.const 4)))
      (then (return (i32.const 0))))
    (drop (call $answer (i32.const 400) (i32.const 0) (i32.const 0) (i32.const 288) (i32.const 20) (i32.const 0) (i32.const 0) (i32.const -1)))
    (i32.const 1))

  ;; Map 2 has the answer's headers.
  (func (export "proxy_on_response_headers") (param i32 i32 i32) (result i32)
    (drop (call $add_header (i32.const 2) (i32.const 272) (i32.const 11) (global.get $configuration) (global.get $configuration_length)))
    (i32.const 0)))

// Functions that Fulgurite emitted as C, called from Rust: rustc call.rs -L . -l sensors
use std::ffi::c_void;

extern "C" {
    fn average(x: *const f32, x_size: i64, result: *mut f32, call: *const c_void) -> i32;
}

fn mean(x: &[f32]) -> Result<f32, i32> {
    let mut result = 0.0;
    match unsafe { average(x.as_ptr(), x.len() as i64, &mut result, std::ptr::null()) } {
        0 => Ok(result),
        status => Err(status),
    }
}

fn main() {
    println!("average {:?}", mean(&[1.0, 2.0, 6.0]).unwrap());
}

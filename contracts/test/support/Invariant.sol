// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tells forge to call the chosen functions of one handler, and nothing else. Functions named `attempt…` try what must
/// not succeed and count it if it does; they are not counted as calls that succeeded (forge.test.ts).
abstract contract Invariant {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetContracts() external view returns (address[] memory contracts) {
        contracts = new address[](1);
        contracts[0] = handlerAddress();
    }

    function targetSelectors() external view returns (FuzzSelector[] memory chosen) {
        chosen = new FuzzSelector[](1);
        chosen[0] = FuzzSelector(handlerAddress(), handlerSelectors());
    }

    function handlerAddress() internal view virtual returns (address);
    function handlerSelectors() internal view virtual returns (bytes4[] memory);
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that takes any authorization for valid, and keeps a fee of one unit from each transfer if told so. It has no
/// block list.
contract OddToken is ERC20("Odd", "ODD") {
    uint256 public immutable feeUnits;

    constructor(uint256 feeUnits_) {
        feeUnits = feeUnits_;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function receiveWithAuthorization(address from, address to, uint256 value, uint256, uint256, bytes32, bytes memory)
        external
    {
        _transfer(from, to, value);
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (feeUnits > 0 && from != address(0) && to != address(0)) super._update(to, address(0xfee), feeUnits);
    }
}

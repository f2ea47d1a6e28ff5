// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// Who may pause, block, and appoint minters. Names, events and messages are those of Circle's FiatToken, because
/// programs written for the real tokens look for them.
abstract contract TokenControls is Ownable {
    address public pauser;
    address public blacklister;
    address public masterMinter;
    bool public paused;

    mapping(address account => bool) private _blacklisted;
    mapping(address account => bool) private _minters;
    mapping(address minter => uint256) internal _minterAllowance;

    event Pause();
    event Unpause();
    event PauserChanged(address indexed newAddress);
    event Blacklisted(address indexed _account);
    event UnBlacklisted(address indexed _account);
    event BlacklisterChanged(address indexed newBlacklister);
    event MinterConfigured(address indexed minter, uint256 minterAllowedAmount);
    event MinterRemoved(address indexed oldMinter);
    event MasterMinterChanged(address indexed newMasterMinter);

    /// `administrator` starts with every role; owner can hand them on one by one.
    constructor(address administrator) Ownable(administrator) {
        pauser = administrator;
        blacklister = administrator;
        masterMinter = administrator;
        // What is sent to the token itself would be lost.
        _blacklisted[address(this)] = true;
    }

    modifier whenNotPaused() {
        _requireNotPaused();
        _;
    }

    modifier onlyMinters() {
        require(_minters[msg.sender], "FiatToken: caller is not a minter");
        _;
    }

    function pause() external {
        require(msg.sender == pauser, "Pausable: caller is not the pauser");
        paused = true;
        emit Pause();
    }

    function unpause() external {
        require(msg.sender == pauser, "Pausable: caller is not the pauser");
        paused = false;
        emit Unpause();
    }

    function isBlacklisted(address account) external view returns (bool) {
        return _blacklisted[account];
    }

    function blacklist(address account) external {
        require(msg.sender == blacklister, "Blacklistable: caller is not the blacklister");
        _blacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external {
        require(msg.sender == blacklister, "Blacklistable: caller is not the blacklister");
        _blacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function isMinter(address account) external view returns (bool) {
        return _minters[account];
    }

    /// How much `minter` may still mint.
    function minterAllowance(address minter) external view returns (uint256) {
        return _minterAllowance[minter];
    }

    function configureMinter(address minter, uint256 minterAllowedAmount) external whenNotPaused returns (bool) {
        require(msg.sender == masterMinter, "FiatToken: caller is not the masterMinter");
        _minters[minter] = true;
        _minterAllowance[minter] = minterAllowedAmount;
        emit MinterConfigured(minter, minterAllowedAmount);
        return true;
    }

    function removeMinter(address minter) external returns (bool) {
        require(msg.sender == masterMinter, "FiatToken: caller is not the masterMinter");
        _minters[minter] = false;
        _minterAllowance[minter] = 0;
        emit MinterRemoved(minter);
        return true;
    }

    function updatePauser(address newPauser) external onlyOwner {
        require(newPauser != address(0), "Pausable: new pauser is the zero address");
        pauser = newPauser;
        emit PauserChanged(newPauser);
    }

    function updateBlacklister(address newBlacklister) external onlyOwner {
        require(newBlacklister != address(0), "Blacklistable: new blacklister is the zero address");
        blacklister = newBlacklister;
        emit BlacklisterChanged(newBlacklister);
    }

    function updateMasterMinter(address newMasterMinter) external onlyOwner {
        require(newMasterMinter != address(0), "FiatToken: new masterMinter is the zero address");
        masterMinter = newMasterMinter;
        emit MasterMinterChanged(newMasterMinter);
    }

    function _requireNotPaused() internal view {
        require(!paused, "Pausable: paused");
    }

    function _requireNotBlacklisted(address account) internal view {
        require(!_blacklisted[account], "Blacklistable: account is blacklisted");
    }
}
